package outline

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// manyColumns is how many columns are described. Further ones are only counted.
const manyColumns = 400

var tableNames = map[rune]string{',': "CSV", '\t': "TSV", ';': "CSV with semicolons", '|': "Table with |"}

// A table describes the rows that were read so far.
type table struct {
	names   []string // nil if the table has no header
	width   int      // columns
	columns []shape  // those that are described
	empty   []int    // empty fields of each column
	rows    int
	odd     int // rows with another number of fields
	oddLine int
	samples []item
}

// scanTable reads rows of fields, which are quoted if they hold a separator.
func scanTable(text string) (outline, bool) {
	sep := separator(text)
	if sep == 0 {
		sep = separator(text[:excerpt.Until(text, "\n")])
	}
	if sep == 0 {
		return outline{}, false
	}
	t := table{}
	if t.readQuoted(text, sep) != nil {
		t = table{}
		t.readLines(text, sep)
	}
	return t.outline(tableNames[sep]), t.columns != nil
}

// readLines reads a row a line. Quotes are characters like any other.
func (t *table) readLines(text string, sep rune) {
	for l := range excerpt.Lines(text) {
		if !l.Blank() {
			t.row(strings.Split(l.Text, string(sep)), l.N, l.Text)
		}
	}
}

// readQuoted reads rows whose fields may be in quotes. It returns an error if a
// quote has no end or is within a field.
func (t *table) readQuoted(text string, sep rune) error {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = sep, -1, true
	for from := int64(0); ; from = r.InputOffset() {
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(fields) > 1 || strings.TrimSpace(fields[0]) != "" {
			line, _ := r.FieldPos(0)
			t.row(fields, line, text[from:r.InputOffset()])
		}
	}
}

func (t *table) row(fields []string, line int, raw string) {
	if t.columns == nil {
		t.width = len(fields)
		shown := min(t.width, manyColumns)
		t.columns, t.empty = make([]shape, shown), make([]int, shown)
		if isHeader(fields) {
			t.names = append(t.names, fields[:shown]...)
			return
		}
	}
	t.rows++
	if len(fields) != t.width {
		if t.odd++; t.odd == 1 {
			t.oddLine = line
		}
	}
	if len(t.samples) < 2 {
		t.samples = append(t.samples, item{line: int32(line), rank: 2, text: raw})
	}
	for i, f := range fields[:min(len(fields), len(t.columns))] {
		f = strings.TrimSpace(f)
		switch {
		case f == "":
			t.empty[i]++
		case isDigit(f[0]) || len(f) > 1 && (f[0] == '-' || f[0] == '.'):
			t.columns[i].number(f)
		default:
			t.columns[i].text(f)
		}
	}
}

func (t *table) outline(kind string) outline {
	found := outline{kind: fmt.Sprintf("%s, %s, %s", kind, plural(t.width, "column"), plural(t.rows, "row"))}
	if t.names == nil {
		found.notes = append(found.notes, "no header")
	}
	if t.odd > 0 {
		found.notes = append(found.notes, fmt.Sprintf("not %d fields: %s, the first is line %d", t.width, plural(t.odd, "row"), t.oddLine))
	}
	for i := range t.columns {
		label := fmt.Sprintf("column %d", i+1)
		if t.names != nil {
			label = excerpt.Clean(t.names[i], 40)
		}
		var about []string
		if t.columns[i].total() > 0 {
			about = append(about, t.columns[i].summary())
		}
		if t.empty[i] > 0 {
			about = append(about, fmt.Sprintf("%d empty", t.empty[i]))
		}
		found.items = append(found.items, item{text: label + ": " + strings.Join(about, ", "), brief: int32(len(label))})
	}
	found.items = append(found.items, t.samples...)
	return found
}

// isHeader reports whether a first row names the columns: no field is empty, a
// number or there twice.
func isHeader(fields []string) bool {
	seen := map[string]bool{}
	for _, f := range fields {
		f = strings.TrimSpace(f)
		if f == "" || len(f) > 80 || isDigit(f[0]) || f[0] == '-' || seen[f] {
			return false
		}
		seen[f] = true
	}
	return true
}

// separator returns the character between the fields of a table, which most of
// its first lines have equally often; 0 if it is no table.
func separator(text string) rune {
	var best rune
	most := 0
	for _, sep := range "\t,;|" {
		counts := map[int]int{}
		lines := 0
		for l := range excerpt.Lines(text[:min(len(text), 1<<16)]) {
			if l.Blank() {
				continue
			}
			counts[separators(l.Text, byte(sep))]++
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

// separators counts those of a line that are not in quotes. A line that begins with
// one is indented, and has none.
func separators(text string, sep byte) int {
	if text[0] == sep {
		return 0
	}
	n, quoted := 0, false
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted && (i == 0 || text[i-1] == sep)
		case sep:
			if !quoted {
				n++
			}
		}
	}
	return n
}
