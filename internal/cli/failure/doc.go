// Package failure shows errors to people and to scripts: their words, their exit codes,
// and their form in JSON.
package failure
