package names

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The limits of a path of any script. A path may be longer before it is in NFC, which
// makes no text less than a third as long.
const (
	maxPathBytes = 1024
	maxGiven     = 4 * maxPathBytes
)

// maxPlain is how many bytes a name may have that an error says to use. Those of rare
// scripts cost a model a token each.
const maxPlain = 60

// graphemeJoiner does not show. NFC puts one into more than 30 marks in a row.
const graphemeJoiner = '\u034f'

// unicodeName checks a name. shape finds what is wrong with its segments.
func unicodeName(given string, shape func(string) string) (name, cause string) {
	if len(given) > maxGiven {
		return given, fmt.Sprintf("%d bytes, limit %d; use a shorter path", len(given), maxPathBytes)
	}
	if at := FirstInvalid([]byte(given)); at >= 0 {
		return given, fmt.Sprintf("byte %d is 0x%02x, which is not UTF-8; give the path in UTF-8", at+1, given[at])
	}
	name = norm.NFC.String(given)
	check := func(name string) string {
		if cause := badUnicode(name); cause != "" {
			return cause
		}
		return shape(name)
	}
	cause = check(name)
	if plain := plainForm(name); plain != name && cause != leadingSlash {
		if len(plain) <= maxPlain && check(plain) == "" {
			return name, "it looks like " + strconv.Quote(plain) + "; use that"
		}
		if cause == "" {
			cause = lookAlike(name)
		}
	}
	if cause == leadingSlash {
		trimmed := plainForm(strings.TrimLeft(name, "/"))
		if len(trimmed) > maxPlain {
			trimmed = ""
		} else if check(trimmed) != "" {
			trimmed = strings.TrimRight(trimmed, "/")
		}
		cause = withoutSlash(trimmed, check)
	}
	return name, cause
}

// badUnicode finds what is wrong with the length and the characters of a name.
func badUnicode(name string) string {
	if n := utf8.RuneCountInString(name); n > maxPath {
		return fmt.Sprintf("%d characters, limit %d; use a shorter path", n, maxPath)
	}
	if len(name) > maxPathBytes {
		return fmt.Sprintf("%d bytes, limit %d; use a shorter path", len(name), maxPathBytes)
	}
	if strings.HasPrefix(name, addressScheme) {
		return isAddress
	}
	at, last := 0, '/'
	for _, r := range name {
		at++
		switch {
		case r == graphemeJoiner:
			return fmt.Sprintf("character %d is U+034F, or follows 30 marks in a row; leave it out", at)
		case isHidden(r):
			return fmt.Sprintf("character %d is %U, which does not show; leave it out", at, r)
		case r == ' ' && (last == ' ' || last == '/'):
			return fmt.Sprintf("character %d is a second space or begins a segment; leave it out", at)
		case r == '/' && last == ' ':
			return fmt.Sprintf("the space before character %d ends a segment; leave it out", at)
		case unicode.Is(unicode.M, r) && (last == ' ' || last == '/'):
			return fmt.Sprintf("character %d is a mark without a letter before it; leave it out", at)
		case !isPathRune(r):
			return fmt.Sprintf("character %d is %s; allowed are letters, marks and digits, single spaces, and / _ . -",
				at, strconv.QuoteRune(r))
		}
		last = r
	}
	return ""
}

// isPathRune reports whether a path of any script may have a character somewhere.
func isPathRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWord(byte(r)) || strings.ContainsRune("-./ ", r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '〇' // the digit zero of Chinese and Japanese
}

// isHidden reports whether a character leaves no ink, so that a path with it looks like
// one without it. Some letters and marks are among them.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector) ||
		r == '\u17b4' || r == '\u17b5' // vowels of Khmer that are not written
}

// plainForm returns the one spelling among those that look the same. It is NFKC, but for
// the vowel AM of Thai and Lao, which everybody writes as one letter.
func plainForm(name string) string {
	return asWritten.Replace(norm.NFKC.String(name))
}

var asWritten = strings.NewReplacer("\u0e4d\u0e32", "\u0e33", "\u0ecd\u0eb2", "\u0eb3")

// lookAlike returns the cause for a name that is not in its plain form.
func lookAlike(name string) string {
	at := 0
	for _, r := range name {
		at++
		if plain := plainForm(string(r)); plain != string(r) {
			return fmt.Sprintf("character %d is %s, another form of %s; use a plain letter", at, strconv.QuoteRune(r),
				strconv.Quote(plain))
		}
	}
	return "it has a letter in two parts; use the letter that is one character"
}

// pathShape finds what is wrong with the segments of a path.
func pathShape(name string) string {
	if cause := badDots(name); cause != "" {
		return cause
	}
	if strings.HasSuffix(name, " ") {
		return "it ends in a space; leave it out"
	}
	return badSegments(name)
}

// FirstInvalid returns where the first byte is that is not UTF-8, or -1.
func FirstInvalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
}
