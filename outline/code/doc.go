// Package code finds the definitions of a program, such as its types and functions,
// with their lines and the comments above them.
//
//	note, defs := code.Find("queue.go").Outline(text)
//
// It reads Go with go/parser. Of each other language it knows what one row of a
// table says: how comments and strings look, and which words define something.
// Three readers use that table. One reads headers: the code before a brace or
// semicolon. One reads lines and how far they are indented. One reads statements of
// SQL. All of them read a copy of the text without its comments and strings.
//
// No reader is a parser. Each may miss a rare form, or take a line for a definition
// that is none. An outline is a hint where to read, so that is good enough, and the
// rules are frozen: a new language is a new row of the table with an example in
// testdata, and no other rule is added for a form that is not found.
//
// Time and memory grow with the length of a text, whatever the text is.
package code
