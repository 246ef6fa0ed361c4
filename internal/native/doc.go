// Package native has what a command needs of the system that it runs on: where its own
// program is, whether somebody reads its output, how the shell takes a word, and the
// user's editor.
package native
