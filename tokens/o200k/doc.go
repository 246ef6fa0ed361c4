// Package o200k counts the o200k_base tokens of a text exactly.
//
// It is for tests, calibration and tools that must not guess. It is not for
// the scratchpad binary, which never links it: the vocabulary adds about 12 MB
// to a binary, and the first [Count] builds a table of 200 thousand entries,
// which stays in memory. Where a close answer will do, use
// [github.com/agent-scratchpad/scratchpad/tokens].
package o200k
