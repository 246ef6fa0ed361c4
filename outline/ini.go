package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/code"
	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// scanINI reads sections and keys: TOML, INI, properties. Values of an
// environment, which may be secrets, are not shown.
func scanINI(text, name string) (outline, bool) {
	toml, secret := name == "TOML", name == "Environment"
	found := outline{kind: "Keys", items: make([]item, 0, min(strings.Count(text, "\n"), 1<<17))}
	quotes := ""
	if toml {
		quotes = `"'`
	}
	keys := code.BlankKeys(text, quotes)
	depth, section := 0, -1
	key, indent, open := -1, 0, false // the item that a line may go on with
	n := 1
	for l := range excerpt.Lines(keys) {
		at := n
		n += 1 + strings.Count(l.Text, string(rune(code.StringFeed)))
		bare := strings.TrimSpace(l.Text)
		raw, _, _ := strings.Cut(strings.TrimSpace(text[l.At:l.At+len(l.Text)]), "\n")
		if bare == "" || depth > 0 || bare[0] == ';' {
			depth, open = max(0, depth+brackets(bare)), false
			continue
		}
		if bare[0] == '[' && !open {
			if section >= 0 {
				found.items[section].end = int32(at - 1)
			}
			section, key = len(found.items), -1
			found.items = append(found.items, item{line: int32(at), rank: 0, text: raw})
			continue
		}
		if key >= 0 && (open || l.Indent() > indent) {
			found.items[key].end = int32(n - 1)
			open = excerpt.LastByte(bare) == '\\'
			continue
		}
		i := strings.IndexAny(bare, "=:")
		if i <= 0 {
			continue
		}
		it := item{line: int32(at), text: raw, brief: int32(min(i, len(raw)))}
		if section >= 0 {
			it.rank, it.indent = 1, 1
		}
		if toml && section >= 0 && section == len(found.items)-1 && namesTable(found.items[section].text, raw[min(i+1, len(raw)):]) {
			found.items[section].text += " " + raw
			continue
		}
		if secret {
			it.text, it.brief = raw[:min(i, len(raw))], 0
		}
		if toml {
			depth = max(0, brackets(bare[i+1:]))
		} else {
			key, indent, open = len(found.items), l.Indent(), excerpt.LastByte(bare) == '\\'
		}
		found.items = append(found.items, it)
	}
	if section >= 0 {
		found.items[section].end = int32(n - 1)
	}
	return found, len(found.items) > 0
}

// namesTable says whether a value is the string that tells a table of an array
// from others: the first in it.
func namesTable(table, value string) bool {
	value = strings.TrimSpace(value)
	return strings.HasPrefix(table, "[[") && strings.HasSuffix(table, "]]") &&
		len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[1] != value[0]
}
