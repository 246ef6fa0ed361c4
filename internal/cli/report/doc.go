// Package report has what a command prints of a result: its form in JSON for scripts, and its
// lines and tables for people.
package report
