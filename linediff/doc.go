// Package linediff compares two texts line by line. It also restores the new
// text from the old text and the difference.
//
// It is made for a reader who holds an old version of a file and pays for every
// byte of the answer. [Diff.Chunks] gives only the number of unchanged lines, and
// [Apply] restores the new text to the byte.
//
// The cost of one [Compare] is always bounded: its work has a fixed budget. Within
// the budget the difference is minimal, which means that no other difference
// removes and adds fewer lines. Any two texts of up to 30,000 lines get a minimal
// difference. So do longer texts if only some thousands of lines differ, or if most
// lines are distinct. For other texts the difference is correct, but may be longer
// than necessary.
//
// A line ends with a line feed. The last line of a text may lack it. A carriage
// return belongs to its line, and "b" and "b\n" are different lines.
//
// The package does not merge, does not write patches in the form of diff -u, does
// not compare within lines, and does not detect moved lines.
package linediff
