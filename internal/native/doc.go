// Package native is the operating system as a command needs it: the user's folders,
// the space that is left, which processes have a file open, where its own program is, whether
// somebody reads its output, and how the shell takes a word. A question that a system cannot
// answer is [errors.ErrUnsupported].
package native
