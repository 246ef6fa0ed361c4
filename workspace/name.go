package workspace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AgentID is a valid name of an agent, made by [ParseAgentID]: 1-128 of
// [a-zA-Z0-9_-].
type AgentID struct{ name string }

// String returns the name as it was parsed.
func (a AgentID) String() string { return a.name }

// ParseAgentID returns the name as an AgentID. The error wraps [ErrInvalid] and
// names the rule that is broken.
func ParseAgentID(name string) (AgentID, error) {
	if cause := badAgentID(name); cause != "" {
		return AgentID{}, fail(ErrInvalid, "agent_id", name, "%s", cause)
	}
	return AgentID{name}, nil
}

func badAgentID(name string) string {
	const most = 128
	switch {
	case name == "":
		return "it is empty; give 1-128 of a-z A-Z 0-9 _ -"
	case len(name) > most:
		return fmt.Sprintf("%d characters, limit %d; use a shorter name", len(name), most)
	}
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '-' {
			return fmt.Sprintf("byte %d is %s; allowed are a-z A-Z 0-9 _ -", i+1, quoteAt(name, i))
		}
	}
	return ""
}

// Path is a valid name of a file or a log, made by [ParsePath]: 1-255 of
// [a-zA-Z0-9/_.-], segments separated by single slashes, none of them "." and
// no ".." anywhere. Files and logs have a namespace each.
type Path struct{ name string }

// String returns the path as it was parsed.
func (p Path) String() string { return p.name }

const maxPath = 255

// ParsePath returns the name as a Path. The error wraps [ErrInvalid] and names
// the rule that is broken.
func ParsePath(name string) (Path, error) {
	if cause := badPath(name); cause != "" {
		return Path{}, fail(ErrInvalid, "path", name, "%s", cause)
	}
	return Path{name}, nil
}

func badPath(name string) string {
	if name == "" {
		return "it is empty; give a relative path such as notes/plan.md"
	}
	if cause := badPathText(name); cause == leadingSlash {
		return withoutSlash(strings.Trim(name, "/"), badPath)
	} else if cause != "" {
		return cause
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

// badPathText finds what is wrong in a path or in a prefix of one.
func badPathText(name string) string {
	if len(name) > maxPath {
		return fmt.Sprintf("%d characters, limit %d; use a shorter path", len(name), maxPath)
	}
	if strings.HasPrefix(name, addressScheme) {
		return "it is an address; leave " + addressScheme + "AGENT/ out"
	}
	for i := range len(name) {
		if c := name[i]; !isWord(c) && c != '-' && c != '.' && c != '/' {
			return fmt.Sprintf("byte %d is %s; allowed are a-z A-Z 0-9 / _ . -", i+1, quoteAt(name, i))
		}
	}
	switch {
	case name != "" && name[0] == '/':
		return leadingSlash
	case strings.Contains(name, ".."):
		return `it holds ".."; use a path without it, such as notes/plan.md`
	}
	return ""
}

// addressScheme begins the addresses of files among the resources of the MCP server.
const addressScheme = "scratchpad://"

const leadingSlash = "it begins with a slash; "

// withoutSlash is the cause for a name that begins with a slash. It says what to use
// instead, unless that is long or wrong too.
func withoutSlash(trimmed string, bad func(string) string) string {
	const most = 80
	if trimmed == "" || len(trimmed) > most || bad(trimmed) != "" {
		return leadingSlash + "leave the slash out"
	}
	return leadingSlash + "use " + strconv.Quote(trimmed)
}

// checkPrefix checks a prefix of paths: the characters of a path, it may be
// empty or end in a slash.
func checkPrefix(prefix string) error {
	cause := badPathText(prefix)
	if cause == leadingSlash {
		cause = withoutSlash(strings.TrimLeft(prefix, "/"), badPathText)
	}
	if cause != "" {
		return fail(ErrInvalid, "prefix", prefix, "%s", cause)
	}
	return nil
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
