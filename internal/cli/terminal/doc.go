// Package terminal writes for people: tables, colours, progress, and text that
// cannot drive a terminal. What it writes to a file or a pipe is plain.
package terminal
