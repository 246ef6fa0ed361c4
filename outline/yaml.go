package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// manyLevels is how many nested keys and lists a yamlScanner follows.
const manyLevels = 64

// A yamlLevel is a key or an element of a list that is open.
type yamlLevel struct {
	indent   int
	item     int // index of the key's item; -1 for none
	elements int // of the list below it
	dash     bool
}

// A yamlScanner lists keys as a tree. Of a list of objects it shows the keys of the
// first.
type yamlScanner struct {
	items     []item
	open      []yamlLevel
	value     int // the indent of the key or element whose value is on its line, and may go on below; -1 for none
	documents int
}

func scanYAML(text string) (outline, bool) {
	if start := strings.TrimSpace(text); start[0] == '{' || start[0] == '[' {
		if found, ok := scanJSON(text); ok && !found.broken {
			return found, true
		}
	}
	y := yamlScanner{value: -1, documents: 1}
	for l := range excerpt.Lines(text) {
		y.line(l)
	}
	y.close(-1)
	found := outline{kind: "YAML", items: y.items}
	if y.documents > 1 {
		found.kind = fmt.Sprintf("YAML, %d documents", y.documents)
	}
	return found, len(y.items) > 0
}

func (y *yamlScanner) line(l excerpt.Line) {
	bare := strings.TrimSpace(l.Text)
	indent := l.Indent()
	switch {
	case bare == "" || y.value >= 0 && indent > y.value:
		return
	case strings.HasPrefix(l.Text, "---") && (len(l.Text) == 3 || l.Text[3] == ' '):
		y.document(l.N)
		return
	case bare[0] == '#':
		return
	}
	y.value = -1
	for n := 0; n < manyLevels && (bare == "-" || strings.HasPrefix(bare, "- ")); n++ {
		y.element(indent)
		rest := strings.TrimLeft(bare[1:], " ")
		if rest != "" && yamlKey(rest) == "" && rest[0] != '-' {
			y.value = indent
			return
		}
		indent += len(bare) - len(rest)
		if bare = rest; bare == "" {
			return
		}
	}
	y.close(indent)
	if key := yamlKey(bare); key != "" {
		y.key(l.N, key, bare, indent)
	}
}

func (y *yamlScanner) document(line int) {
	y.close(-1)
	y.value = -1
	if len(y.items) > 0 {
		y.documents++
		y.items = append(y.items, item{line: int32(line), text: fmt.Sprintf("--- document %d", y.documents)})
	}
}

// element opens an element of a list. The key that holds the list may be as far
// indented.
func (y *yamlScanner) element(indent int) {
	for n := len(y.open); n > 0 && (y.open[n-1].indent > indent || y.open[n-1].indent == indent && y.open[n-1].dash); n-- {
		y.pop()
	}
	if len(y.open) == 0 {
		y.open = append(y.open, yamlLevel{indent: -1, item: -1})
	}
	y.open[len(y.open)-1].elements++
	if len(y.open) < manyLevels {
		y.open = append(y.open, yamlLevel{indent: indent, item: -1, dash: true})
	}
}

func (y *yamlScanner) key(line int, key, bare string, indent int) {
	value := strings.TrimLeft(bare[len(key):], " \t:")
	for value != "" && (value[0] == '&' || value[0] == '!') { // an anchor or a tag
		value = strings.TrimLeft(value[excerpt.Until(value, " "):], " ")
	}
	if value != "" && value[0] != '#' {
		y.value = indent
	}
	depth, later := 0, false
	for _, o := range y.open {
		if o.indent >= 0 && !o.dash {
			depth++
		}
		later = later || o.elements > 1
	}
	at := -1
	if !later {
		at = len(y.items)
		y.items = append(y.items, item{line: int32(line), rank: int16(depth), indent: int16(depth), text: bare, brief: int32(len(key) + 1)})
	}
	if len(y.open) < manyLevels {
		y.open = append(y.open, yamlLevel{indent: indent, item: at})
	}
}

// close ends what is as far indented, or further.
func (y *yamlScanner) close(indent int) {
	for n := len(y.open); n > 0 && y.open[n-1].indent >= indent; n-- {
		y.pop()
	}
}

func (y *yamlScanner) pop() {
	o := y.open[len(y.open)-1]
	y.open = y.open[:len(y.open)-1]
	if o.item >= 0 && o.elements > 0 {
		y.items[o.item].note = fmt.Sprintf(" list of %d", o.elements)
	}
}

// yamlKey returns the key that a line begins with, as it stands there, or "".
func yamlKey(bare string) string {
	if bare == "" || strings.IndexByte("#&*!|>%@`[]{},", bare[0]) >= 0 {
		return ""
	}
	end := 0
	if bare[0] == '"' || bare[0] == '\'' {
		end = excerpt.Until(bare[1:], bare[:1]) + 2
	}
	for i := end; i < min(len(bare), 200); i++ {
		switch next := bare[i+1:]; {
		case bare[i] == ':' && (next == "" || next[0] == ' ' || next[0] == '\t'):
			return bare[:max(i, end)]
		case bare[i] == ' ' && strings.HasPrefix(next, "#"), end > 0 && bare[i] != ' ':
			return ""
		}
	}
	return ""
}
