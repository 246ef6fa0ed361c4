package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// yamlKey is the key that a line begins with, without quotes, or "".
func yamlKey(bare string) string {
	if bare == "" || strings.IndexByte("#&*!|>%@`[]{},", bare[0]) >= 0 {
		return ""
	}
	if bare[0] == '"' || bare[0] == '\'' {
		end := strings.IndexByte(bare[1:], bare[0])
		if end < 0 || !strings.HasPrefix(strings.TrimLeft(bare[end+2:], " "), ":") {
			return ""
		}
		return bare[:end+2]
	}
	for i := range min(len(bare), 200) {
		if bare[i] == ':' && (i+1 == len(bare) || bare[i+1] == ' ' || bare[i+1] == '\t') {
			return bare[:i]
		}
		if bare[i] == '#' && i > 0 && bare[i-1] == ' ' {
			return ""
		}
	}
	return ""
}

// A yamlLevel is a key or a list's item that is open.
type yamlLevel struct {
	indent int
	item   int // of the key; -1: none
	list   int // elements of the list that it holds
	dash   bool
}

// scanYAML lists keys as a tree. Of a list of objects it shows the keys of the
// first.
func scanYAML(text string) (outline, bool) {
	y := yaml{items: make([]item, 0, min(strings.Count(text, "\n"), 1<<17)), scalar: -1, plain: -1, documents: 1}
	for l := range excerpt.Lines(text) {
		y.line(l)
	}
	y.close(-1)
	if len(y.items) == 0 {
		found, ok := scanAnyJSON(text)
		return found, ok && !found.broken
	}
	found := outline{kind: "YAML", items: y.items}
	if y.documents > 1 {
		found.kind = fmt.Sprintf("YAML, %d documents", y.documents)
	}
	return found, true
}

type yaml struct {
	items     []item
	open      []yamlLevel
	scalar    int // indentation of the key whose text of several lines this is, or -1
	plain     int // of the one whose value has neither quotes nor brackets, or -1
	documents int
	value     yamlValue
}

func (y *yaml) line(l excerpt.Line) {
	bare := strings.TrimSpace(l.Text)
	indent := l.Indent()
	switch {
	case bare == "":
		return
	case y.scalar >= 0 && indent > y.scalar:
		return
	case strings.HasPrefix(l.Text, "---") && (len(l.Text) == 3 || l.Text[3] == ' '):
		y.close(-1)
		if len(y.items) > 0 {
			y.documents++
			y.items = append(y.items, item{line: int32(l.N), text: fmt.Sprintf("--- document %d", y.documents)})
		}
		y.scalar, y.plain, y.value = -1, -1, yamlValue{}
		return
	case y.value.open() && y.value.holds(bare, indent):
		y.value.read(bare)
		return
	case bare[0] == '#':
		return
	}
	y.scalar, y.value = -1, yamlValue{}
	above := indent - 1
	for strings.HasPrefix(bare, "- ") || bare == "-" {
		y.dash(indent)
		above, y.plain = indent, -1
		trimmed := strings.TrimLeft(bare[1:], " ")
		indent += len(bare) - len(trimmed)
		bare = trimmed
		if bare == "" {
			return
		}
	}
	y.close(indent)
	key := yamlKey(bare)
	if key != "" {
		y.key(l, key, bare, indent)
	} else if y.plain < 0 || indent <= y.plain {
		y.begin(bare, above)
	}
}

// dash opens an element of a list. The key that holds it may be as far indented.
func (y *yaml) dash(indent int) {
	for n := len(y.open); n > 0 && (y.open[n-1].indent > indent || y.open[n-1].indent == indent && y.open[n-1].dash); n-- {
		y.pop()
	}
	n := len(y.open)
	if n == 0 {
		y.open = append(y.open, yamlLevel{indent: -1, item: -1})
		n = 1
	}
	y.open[n-1].list++
	if len(y.open) < 64 {
		y.open = append(y.open, yamlLevel{indent: indent, item: -1, dash: true})
	}
}

func (y *yaml) key(l excerpt.Line, key, bare string, indent int) {
	value := strings.TrimSpace(bare[len(key):])
	y.begin(strings.TrimSpace(strings.TrimPrefix(value, ":")), indent)
	depth := 0
	for _, o := range y.open {
		if o.indent >= 0 && !o.dash {
			depth++
		}
	}
	at := -1
	if !y.later() {
		at = len(y.items)
		y.items = append(y.items, item{line: int32(l.N), rank: int16(depth), indent: int16(depth), text: bare, brief: int32(len(key) + 1)})
	}
	if len(y.open) < 64 {
		y.open = append(y.open, yamlLevel{indent: indent, item: at})
	}
}

// begin reads a value, after its anchor and tag, up to the line's end.
func (y *yaml) begin(value string, indent int) {
	for value != "" && (value[0] == '&' || value[0] == '!') {
		value = strings.TrimLeft(value[excerpt.Until(value, " "):], " ")
	}
	y.plain = -1
	switch {
	case value == "" || value[0] == '#':
	case value[0] == '|' || value[0] == '>':
		y.scalar = indent
	case strings.IndexByte("[{\"'", value[0]) >= 0:
		y.value = yamlValue{indent: indent}
		y.value.read(value)
	default:
		y.plain = indent
	}
}

// A yamlValue is one in quotes or brackets, which may go over lines.
type yamlValue struct {
	indent int  // of its key
	quote  byte // open
	flow   int  // brackets open
	last   byte // of the line above
}

func (v *yamlValue) open() bool { return v.quote != 0 || v.flow > 0 }

// holds says whether a line is in the value. One that is no further indented than
// its key and begins another is not: what is open was never closed.
func (v *yamlValue) holds(bare string, indent int) bool {
	if indent > v.indent || yamlKey(bare) == "" && !strings.HasPrefix(bare, "- ") {
		return true
	}
	return v.quote == 0 && strings.IndexByte(",[{:", v.last) >= 0
}

// read follows quotes and brackets. In plain text quotes open nothing.
func (v *yamlValue) read(text string) {
	v.last = excerpt.LastByte(text)
	before := byte(',')
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case v.quote == '"' && c == '\\', v.quote == '\'' && strings.HasPrefix(text[i:], "''"):
			i++
		case v.quote != 0:
			if c != v.quote {
				continue
			}
			if v.quote = 0; v.flow == 0 {
				return
			}
		case (c == '"' || c == '\'') && strings.IndexByte(",[{:", before) >= 0:
			v.quote = c
		case c == '#' && (i == 0 || text[i-1] == ' '):
			return
		case c == '[' || c == '{':
			v.flow++
		case c == ']' || c == '}':
			if v.flow--; v.flow <= 0 {
				v.flow = 0
				return
			}
		}
		if c != ' ' {
			before = c
		}
	}
}

// later says whether the line is in an element of a list after the first.
func (y *yaml) later() bool {
	for _, o := range y.open {
		if o.list > 1 {
			return true
		}
	}
	return false
}

// close ends what is as far indented, or further.
func (y *yaml) close(indent int) {
	for n := len(y.open); n > 0 && y.open[n-1].indent >= indent && (indent < 0 || y.open[n-1].indent >= 0); n-- {
		if y.open[n-1].dash && y.open[n-1].indent < indent {
			break
		}
		y.pop()
	}
	if indent < 0 {
		y.open = y.open[:0]
	}
}

func (y *yaml) pop() {
	o := y.open[len(y.open)-1]
	y.open = y.open[:len(y.open)-1]
	if o.item >= 0 && o.list > 0 {
		y.items[o.item].list = int32(o.list)
	}
}

// brackets is how many more open than close, outside of quotes.
func brackets(text string) int {
	n := 0
	var quote byte
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && (i == 0 || !excerpt.IsWord(text[i-1])):
			quote = c
		case c == '#' && i > 0 && text[i-1] == ' ':
			return n
		case c == '[' || c == '{':
			n++
		case c == ']' || c == '}':
			n--
		}
	}
	return n
}
