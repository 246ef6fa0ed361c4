// Package nearest finds what a caller may have meant: the path that is most like one
// that does not exist, the line that is most like a text that does not occur, and the
// lines on which a text occurs several times.
package nearest
