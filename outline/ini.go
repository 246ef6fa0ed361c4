package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// iniKind is the kind of TOML, INI files, properties and files of environment
// variables, which are read by their sections and keys. Values are not shown if they
// may be secrets.
func iniKind(name string, secret bool) kind {
	return kind{name, func(text string) (outline, bool) {
		items := iniItems(text, secret)
		return outline{kind: name, items: items}, len(items) > 0
	}}
}

func iniItems(text string, secret bool) []item {
	var items []item
	section, key := -1, -1 // indexes of their items; -1 for none
	indent := 0            // of the last key
	until := ""            // ends its value of several lines; "" for none
	for l := range excerpt.Lines(text) {
		bare := strings.TrimSpace(l.Text)
		it := item{line: int32(l.N), text: bare}
		assigned := strings.IndexAny(bare, "=:")
		switch {
		case bare == "":
		case until != "":
			if strings.Contains(bare, until) && (until != "]" || bare[0] == ']') {
				until = ""
			}
			items[key].end = it.line
		case strings.IndexByte("#;", bare[0]) >= 0: // a comment
		case bare[0] == '[':
			section, key = len(items), -1
			items = append(items, it)
		case key >= 0 && l.Indent() > indent:
			items[key].end = it.line
		case assigned > 0:
			if section >= 0 {
				it.rank, it.indent = 1, 1
			}
			it.brief = int32(assigned)
			if secret {
				it.text = bare[:assigned]
			}
			key, indent, until = len(items), l.Indent(), valueEnd(strings.TrimSpace(bare[assigned+1:]))
			items = append(items, it)
		}
		if section >= 0 {
			items[section].end = it.line
		}
	}
	return items
}

// valueEnd returns what ends a value below its line, or "". A value that begins with
// a quote, or ends with the bracket or comma of a list, may go on there.
func valueEnd(value string) string {
	for _, quotes := range []string{`"""`, `'''`, `"`, `'`} {
		if rest, ok := strings.CutPrefix(value, quotes); ok {
			if strings.Contains(rest, quotes) {
				return ""
			}
			return quotes
		}
	}
	if strings.HasPrefix(value, "[") && strings.IndexByte("[,", excerpt.LastByte(value)) >= 0 {
		return "]"
	}
	return ""
}
