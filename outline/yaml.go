package outline

import (
	"fmt"
	"strings"
)

// manyLevels is how many nested keys and lists a yamlScanner follows.
const manyLevels = 64

// A yamlLevel is a key or an element of a list that is open.
type yamlLevel struct {
	column   int // twice the indent; one more for an element, which may be as far indented as its key
	item     int // index of the key's item; -1 for none
	elements int // of the list below it
}

// A yamlScanner lists keys as a tree. Of a list of objects it shows the keys of the
// first.
type yamlScanner struct {
	items  []item
	levels []yamlLevel // the first is the document
	value  int         // the indent of the key or element whose value is on its line, and may go on below; -1 for none
}

func scanYAML(text string) (outline, bool) {
	y := yamlScanner{levels: []yamlLevel{{column: -1, item: -1}}, value: -1}
	for l := range linesOf(text) {
		y.line(l)
	}
	y.close(0)
	return outline{kind: "YAML", items: y.items}, len(y.items) > 0
}

func (y *yamlScanner) line(l textLine) {
	bare, indent := strings.TrimSpace(l.Text), l.indent()
	switch {
	case bare == "" || y.value >= 0 && indent > y.value || bare[0] == '#':
		return
	case l.Text == "---" || strings.HasPrefix(l.Text, "--- "):
		y.close(0)
		y.levels[0].elements, y.value = 0, -1
		if len(y.items) > 0 {
			y.items = append(y.items, item{line: int32(l.N), text: "---"})
		}
		return
	}
	y.value = -1
	for n := 0; n < manyLevels && (bare == "-" || strings.HasPrefix(bare, "- ")); n++ {
		y.open(2*indent+1, -1)
		y.value = indent
		rest := strings.TrimLeft(bare[1:], " ")
		indent, bare = indent+len(bare)-len(rest), rest
	}
	if key := yamlKey(bare); key != "" {
		y.key(l.N, key, bare, indent)
	} else if bare == "" {
		y.value = -1
	}
}

// key lists a key, unless it is in a later element of a list than the first.
func (y *yamlScanner) key(line int, key, bare string, indent int) {
	value := strings.TrimLeft(bare[len(key):], " \t:")
	for value != "" && (value[0] == '&' || value[0] == '!') { // an anchor or a tag
		_, value, _ = strings.Cut(value, " ")
	}
	y.value = -1
	if value != "" && value[0] != '#' {
		y.value = indent
	}
	y.close(2 * indent)
	depth, later := int16(0), false
	for _, level := range y.levels {
		if level.column >= 0 && level.column%2 == 0 {
			depth++
		}
		later = later || level.elements > 1
	}
	at := -1
	if !later {
		at = len(y.items)
		y.items = append(y.items, item{line: int32(line), rank: depth, indent: depth, text: bare,
			brief: int32(len(key) + 1)})
	}
	y.open(2*indent, at)
}

// open begins a key or an element, and ends those that are as far indented.
func (y *yamlScanner) open(column, item int) {
	y.close(column)
	if column%2 == 1 {
		y.levels[len(y.levels)-1].elements++
	}
	if len(y.levels) < manyLevels {
		y.levels = append(y.levels, yamlLevel{column: column, item: item})
	}
}

// close ends what is as far indented, or further.
func (y *yamlScanner) close(column int) {
	for n := len(y.levels) - 1; y.levels[n].column >= column; n-- {
		if level := y.levels[n]; level.item >= 0 && level.elements > 0 {
			y.items[level.item].note = fmt.Sprintf(" list of %d", level.elements)
		}
		y.levels = y.levels[:n]
	}
}

// yamlKey returns the key that a line begins with, as it stands there, or "".
func yamlKey(bare string) string {
	if bare == "" || strings.IndexByte("#&*!|>%@`[]{},", bare[0]) >= 0 {
		return ""
	}
	end := 0
	if bare[0] == '"' || bare[0] == '\'' {
		quoted, _, _ := strings.Cut(bare[1:], bare[:1])
		end = len(quoted) + 2
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
