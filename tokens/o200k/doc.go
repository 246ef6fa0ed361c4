// Package o200k counts the o200k_base tokens of a text exactly.
//
// It is for tests, calibration and tools that must not guess. The vocabulary adds 8 to
// 12 MB to a binary, so the scratchpad binary does not link it. The first [Count] takes
// about 40 ms: it builds a table of 200 thousand entries, which keeps 6 MB on the heap.
// After that, Count reads about 8 MB a second. If an estimate is enough, use
// [github.com/agent-scratchpad/scratchpad/tokens], which is thirty times as fast.
package o200k
