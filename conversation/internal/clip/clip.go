// Package clip shortens texts.
package clip

import "unicode/utf8"

// Text is for error messages. It returns s, or its beginning and "…" if it has more than 64 bytes. It does
// not cut a character.
func Text(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
