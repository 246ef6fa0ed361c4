// Package doctor checks a database, its files and its surroundings, and says what to do.
// It changes nothing.
package doctor
