// Package names checks the names of agents, paths, prefixes of paths, and idempotency
// keys. A check returns what is wrong and what to give instead, or "" if the name is
// valid. Clip, Quote and Shorten put a name into a form that can be shown or kept.
package names

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits, in characters.
const (
	maxAgent = 128
	maxPath  = 255
	maxKey   = 128
)

// Agent checks the name of an agent.
func Agent(name string) (cause string) {
	switch {
	case name == "":
		return "it is empty; give 1-128 of a-z A-Z 0-9 _ -"
	case len(name) > maxAgent:
		return fmt.Sprintf("%d characters, limit %d; use a shorter name", len(name), maxAgent)
	}
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '-' {
			return fmt.Sprintf("byte %d is %s; allowed are a-z A-Z 0-9 _ -", i+1, quoteAt(name, i))
		}
	}
	return ""
}

// A Rule says which characters paths may have.
type Rule int

// The rules. Every path by ASCII is one by Unicode.
const (
	ASCII   Rule = iota // a-z A-Z 0-9 / _ . -
	Unicode             // also letters, marks and digits of any script, and single spaces
)

// String returns "ascii" or "unicode".
func (r Rule) String() string {
	if r == Unicode {
		return "unicode"
	}
	return "ascii"
}

// Path checks a path. It returns the path as it is stored, by Unicode in NFC.
func (r Rule) Path(name string) (path, cause string) {
	if r == Unicode {
		return unicodeName(name, pathShape)
	}
	return name, asciiPath(name)
}

// Prefix checks a prefix of paths. It may be empty or end in a slash, and by Unicode end
// in a space. It returns the prefix as paths begin that are stored.
func (r Rule) Prefix(prefix string) (clean, cause string) {
	if r == Unicode {
		return unicodeName(prefix, badDots)
	}
	return prefix, asciiPrefix(prefix)
}

func asciiPath(name string) (cause string) {
	if cause := badText(name); cause == leadingSlash {
		return withoutSlash(strings.Trim(name, "/"), asciiPath)
	} else if cause != "" {
		return cause
	}
	return badSegments(name)
}

// badSegments finds what is wrong with the segments of a path, beside what is wrong in a
// prefix too.
func badSegments(name string) string {
	if name == "" {
		return "it is empty; give a relative path such as notes/plan.md"
	}
	if strings.HasSuffix(name, "/") {
		return "it ends in a slash; name a file"
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch segment {
		case "":
			return "it has an empty segment (two slashes in a row); leave one slash out"
		case ".":
			return `it has a segment "."; use a path without it, such as notes/plan.md`
		}
	}
	return ""
}

func asciiPrefix(prefix string) (cause string) {
	if cause = badText(prefix); cause == leadingSlash {
		return withoutSlash(strings.TrimLeft(prefix, "/"), badText)
	}
	return cause
}

// badText finds what is wrong in a path and in a prefix of one.
func badText(name string) string {
	if len(name) > maxPath {
		return fmt.Sprintf("%d characters, limit %d; use a shorter path", len(name), maxPath)
	}
	if strings.HasPrefix(name, addressScheme) {
		return isAddress
	}
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '-' && c != '.' && c != '/' {
			return fmt.Sprintf("byte %d is %s; allowed are a-z A-Z 0-9 / _ . -", i+1, quoteAt(name, i))
		}
	}
	return badDots(name)
}

// badDots finds a slash at the beginning, and "..".
func badDots(name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return leadingSlash
	case strings.Contains(name, ".."):
		return `it holds ".."; use a path without it, such as notes/plan.md`
	}
	return ""
}

// addressScheme begins the addresses of files among the resources of the MCP server.
const addressScheme = "scratchpad://"

const (
	isAddress    = "it is an address; leave " + addressScheme + "AGENT/ out"
	leadingSlash = "it begins with a slash; "
)

// maxShown is how many bytes a name may have that an error says to use.
const maxShown = 80

// Key checks an idempotency key, which is not empty.
func Key(key string) (cause string) {
	if n := utf8.RuneCountInString(key); n > maxKey {
		return fmt.Sprintf("the idempotency key has %d characters, limit %d; give a shorter one", n, maxKey)
	}
	for _, r := range key {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return fmt.Sprintf("the idempotency key holds %q; only printable characters are allowed", r)
		}
	}
	return ""
}

// Shorten cuts a text that a client gives as its name to a number of bytes, and replaces
// what is not valid UTF-8 in it, and NUL, which not every database can keep.
func Shorten(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// withoutSlash returns the cause for a name that begins with a slash. It says what to
// use instead, unless that is long or wrong too.
func withoutSlash(trimmed string, bad func(string) string) string {
	if trimmed == "" || len(trimmed) > maxShown || bad(trimmed) != "" {
		return leadingSlash + "leave the slash out"
	}
	return leadingSlash + "use " + strconv.Quote(trimmed)
}

// quoteAt quotes the character that begins at a byte, or the byte where none does.
func quoteAt(name string, at int) string {
	r, n := utf8.DecodeRuneInString(name[at:])
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("0x%02x", name[at])
	}
	return strconv.QuoteRune(r)
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
