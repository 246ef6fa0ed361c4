// Package o200k counts the o200k_base tokens of a text exactly.
//
// It is for tests, calibration and tools that must not guess. It is not for
// the scratchpad binary, which never links it: the vocabulary adds 8 to 12 MB
// to a binary, and the first [Count] takes some 40 ms to build a table of 200
// thousand entries, which stays on the heap with about 6 MB. After that it
// reads some 8 MB a second. Where a close answer will do, use
// [github.com/agent-scratchpad/scratchpad/tokens], which is thirty times as fast.
package o200k
