// Package nearest finds what a caller may have meant: the path that is most like one
// that does not exist, and the line that is most like a text that does not occur.
package nearest
