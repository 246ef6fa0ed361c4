package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// oneLine escapes what a terminal would act on, in text that somebody else wrote.
func oneLine(s string) string {
	if !strings.ContainsFunc(s, isHarmful) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHarmful(r) {
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHarmful reports control characters, those that turn the direction of a
// line, and bytes that are no UTF-8.
func isHarmful(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r) || r == unicode.ReplacementChar
}

// humanBytes is a size for people.
func humanBytes(n int64) string {
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
