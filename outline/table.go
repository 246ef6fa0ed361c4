package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A table reads rows of fields, quoted where they hold a separator.
type table struct {
	in      string
	at      int
	line    int
	sep     byte
	fields  []string
	names   []string
	columns []values
	empty   []int
	rows    int
	odd     int // rows with another number of fields
	oddLine int
	samples []item
	vain    int // bytes read for the end of a field in quotes that has none
}

const manyColumns = 400

func scanTable(text string) (outline, bool) {
	t := table{in: text, line: 1, sep: separator(text)}
	if t.sep == 0 {
		first, _, _ := strings.Cut(text, "\n")
		t.sep = separator(first)
	}
	if t.sep == 0 {
		return outline{}, false
	}
	for t.at < len(text) {
		line, from := t.line, t.at
		t.row()
		if len(t.fields) == 1 && strings.TrimSpace(t.fields[0]) == "" {
			continue
		}
		if t.columns == nil {
			t.columns, t.empty = make([]values, len(t.fields)), make([]int, len(t.fields))
			if headed(t.fields) {
				t.names = append(t.names, t.fields...)
				continue
			}
		}
		t.record(line, text[from:t.at])
	}
	return t.outline(), true
}

func (t *table) record(line int, raw string) {
	t.rows++
	if len(t.fields) != len(t.columns) {
		if t.odd++; t.odd == 1 {
			t.oddLine = line
		}
	}
	if len(t.samples) < 2 {
		t.samples = append(t.samples, item{line: int32(line), rank: 2, text: raw})
	}
	for i, f := range t.fields[:min(len(t.fields), len(t.columns), manyColumns)] {
		f = strings.TrimSpace(f)
		switch {
		case f == "":
			t.empty[i]++
		case f[0] == '-' && len(f) > 1 || f[0] >= '0' && f[0] <= '9' || f[0] == '.' && len(f) > 1:
			t.columns[i].number(f)
		default:
			t.columns[i].text(f)
		}
	}
}

func (t *table) outline() outline {
	name := map[byte]string{',': "CSV", '\t': "TSV", ';': "CSV with semicolons", '|': "Table with |"}[t.sep]
	found := outline{kind: fmt.Sprintf("%s, %s, %s", name, plural(len(t.columns), "column"), plural(t.rows, "row"))}
	if t.names == nil {
		found.notes = append(found.notes, "no header")
	}
	if t.odd > 0 {
		found.notes = append(found.notes, fmt.Sprintf("not %d fields: %s, the first is line %d", len(t.columns), plural(t.odd, "row"), t.oddLine))
	}
	for i := range t.columns {
		label := fmt.Sprintf("column %d", i+1)
		if t.names != nil {
			label = excerpt.Clean(t.names[i], 40)
		}
		about := t.columns[i].describe()
		if t.empty[i] > 0 {
			about = strings.TrimPrefix(fmt.Sprintf("%s, %d empty", about, t.empty[i]), ", ")
		}
		found.items = append(found.items, item{text: label + ": " + about, brief: int32(len(label))})
	}
	found.items = append(found.items, t.samples...)
	return found
}

// row reads the next one into fields.
func (t *table) row() {
	t.fields = t.fields[:0]
	for {
		if t.at >= len(t.in) || t.in[t.at] != '"' || !t.quoted() {
			rest := t.in[t.at:]
			n := 0
			for n < len(rest) && rest[n] != t.sep && rest[n] != '\n' {
				n++
			}
			t.fields = append(t.fields, strings.TrimSuffix(rest[:n], "\r"))
			t.at += n
		}
		if t.at >= len(t.in) {
			return
		}
		t.at++
		if t.in[t.at-1] == '\n' {
			t.line++
			return
		}
	}
}

// quoted reads a field in quotes. It is none where no quote ends the field: the
// first is a character like any other.
func (t *table) quoted() bool {
	from := t.at + 1
	newlines := 0
	i := from
	for ; i < len(t.in); i++ {
		if t.in[i] == '\n' {
			if newlines++; t.vain > 2*len(t.in) {
				return false
			}
		}
		if t.in[i] == '"' {
			if i+1 >= len(t.in) || t.in[i+1] != '"' {
				break
			}
			i++
		}
	}
	if i >= len(t.in) {
		t.vain += len(t.in) - from
		return false
	}
	end := i + 1
	for end < len(t.in) && (t.in[end] == ' ' || t.in[end] == '\r') {
		end++
	}
	if end < len(t.in) && t.in[end] != t.sep && t.in[end] != '\n' {
		t.vain += end - from
		return false
	}
	t.fields = append(t.fields, t.in[from:i])
	t.at = end
	t.line += newlines
	return true
}

// headed says whether a first row names the columns: no field is empty, a number
// or said twice.
func headed(fields []string) bool {
	seen := map[string]bool{}
	for _, f := range fields {
		f = strings.TrimSpace(f)
		if f == "" || len(f) > 80 || f[0] >= '0' && f[0] <= '9' || f[0] == '-' || seen[f] {
			return false
		}
		seen[f] = true
	}
	return true
}

// separator is what parts the fields of a table: it is in each of the first
// lines, as often in most. 0: it is no table.
func separator(text string) byte {
	var best byte
	most := 0
	for _, sep := range []byte{'\t', ',', ';', '|'} {
		counts := map[int]int{}
		lines, quoted := 0, false
		for l := range excerpt.Lines(text[:min(len(text), 1<<16)]) {
			if l.Blank() {
				continue
			}
			n := 0
			for i := range len(l.Text) {
				if l.Text[0] == sep {
					break // it is indented
				}
				switch l.Text[i] {
				case '"':
					quoted = !quoted && (i == 0 || l.Text[i-1] == sep)
				case sep:
					if !quoted {
						n++
					}
				}
			}
			counts[n]++
			if lines++; lines == 30 {
				break
			}
		}
		for n, same := range counts {
			if n > 0 && same*10 >= lines*8 && same*100+n > most {
				best, most = sep, same*100+n
			}
		}
	}
	return best
}
