// Package o200k counts the o200k_base tokens of a text exactly.
//
// It is for bounds that must hold, tests and calibration. The vocabulary adds 7 to 12 MB to a
// binary. The first [Count] takes about 40 ms: it builds a table of 200 thousand entries, which
// keeps 6 MB on the heap. After that, Count reads about 8 MB a second. A single word takes time
// by the square of its length: cut long words before. If an estimate is enough, use
// [github.com/agent-scratchpad/scratchpad/tokens], which is thirty times as fast.
package o200k
