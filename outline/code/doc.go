// Package code finds the definitions of a program, by its lines: the types and
// functions, and what is said about them. It is no parser.
package code
