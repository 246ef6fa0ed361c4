// Package phrase words numbers, sizes and times for people.
package phrase

import (
	"fmt"
	"strings"
	"time"
)

// Minute returns a time for a table, in UTC to the minute.
func Minute(t time.Time) string { return t.UTC().Format("2006-01-02T15:04Z") }

// Time returns a time for a line of text, in UTC to the second.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Plural returns a number of things in words.
func Plural(n int64, thing string) string { return fmt.Sprintf("%d %s", n, Noun(n, thing)) }

// Noun returns the word for a number of things.
func Noun(n int64, thing string) string {
	stem, ry := strings.CutSuffix(thing, "ry")
	switch {
	case n == 1:
		return thing
	case ry:
		return stem + "ries"
	}
	return thing + "s"
}

// Entries returns a number of log entries in words.
func Entries(n int64) string { return Plural(n, "entry") }

// Bytes returns a size for people.
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 6 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", f, " KMGTPE"[unit])
}
