// Package linediff tells how one version of a text became another, line by
// line, and gives the second back from the first and the difference.
//
// It is made for a reader who holds an old version of a file and pays for every
// byte of the answer: [Diff.Chunks] leaves out what did not change, but for its
// length, and [Apply] restores the new text to the byte.
//
// The difference is minimal, with as few lines removed and added as any has,
// where that is affordable, and its cost is bounded always: the work of one
// [Compare] has a fixed budget, and where the budget ends, so does the search
// for less. Texts of some thousands of differing lines, texts whose lines are
// mostly distinct, and any two of up to 30,000 lines get a minimal one.
//
// A line ends in a line feed, or is the rest at the text's end. A carriage return
// belongs to its line, and "b" and "b\n" are different lines.
//
// The package is not for merging, for patches in the form of diff -u, for
// differences within a line, or for telling moved lines from removed ones.
package linediff
