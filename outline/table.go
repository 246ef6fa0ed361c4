package outline

import (
	"encoding/csv"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// manyColumns is how many columns are described. Further ones are only counted.
const manyColumns = 400

var tableNames = map[rune]string{',': "CSV", '\t': "TSV", ';': "CSV with semicolons", '|': "Table with |"}

// A table describes the rows that were read so far.
type table struct {
	names   []string // of the columns
	width   int      // columns
	columns []shape  // those that are described
	rows    int
	samples []item
}

func scanTable(text string) (outline, bool) {
	sep := separator(text)
	if sep == 0 {
		return outline{}, false
	}
	t := table{}
	for r := range rows(text, sep) {
		t.row(r)
	}
	return t.outline(tableNames[sep]), t.columns != nil
}

// A row is valid until the next is read.
type row struct {
	line   int
	text   string
	fields []string
}

// rows gives the rows of a table that are not blank. Fields are quoted if they hold
// a separator, but never between tabs.
func rows(text string, sep rune) iter.Seq[row] {
	return func(yield func(row) bool) {
		if sep == '\t' {
			for l := range linesOf(text) {
				if !l.blank() && !yield(row{l.N, l.Text, strings.Split(l.Text, "\t")}) {
					return
				}
			}
			return
		}
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = sep, -1, true, true
		for from := int64(0); ; from = r.InputOffset() {
			fields, err := r.Read()
			if err != nil {
				return
			}
			line, _ := r.FieldPos(0)
			if (len(fields) > 1 || strings.TrimSpace(fields[0]) != "") &&
				!yield(row{line, text[from:r.InputOffset()], fields}) {
				return
			}
		}
	}
}

func (t *table) row(r row) {
	fields := r.fields
	if t.columns == nil {
		t.width, t.names = len(fields), slices.Clone(fields)
		t.columns = make([]shape, min(t.width, manyColumns))
		if isHeader(fields) {
			return
		}
		for i := range t.names {
			t.names[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	t.rows++
	if len(t.samples) < 2 {
		t.samples = append(t.samples, item{line: int32(r.line), rank: 2, text: r.text})
	}
	for i, f := range fields[:min(len(fields), len(t.columns))] {
		f = strings.TrimSpace(f)
		switch {
		case f == "":
		case isDigit(f[0]) || len(f) > 1 && (f[0] == '-' || f[0] == '.'):
			t.columns[i].number(f)
		default:
			t.columns[i].text(f)
		}
	}
}

func (t *table) outline(kind string) outline {
	found := outline{kind: fmt.Sprintf("%s, %s, %s", kind, plural(t.width, "column"), plural(t.rows, "row"))}
	for i, c := range t.columns {
		label := clean(t.names[i], 40)
		about := c.summary()
		if empty := t.rows - c.total(); empty > 0 {
			about += fmt.Sprintf(", %d empty", empty)
		}
		found.items = append(found.items, item{text: label + ": " + about, brief: int32(len(label))})
	}
	found.items = append(found.items, t.samples...)
	return found
}

// isHeader reports whether a first row names the columns: no field is empty or a
// number.
func isHeader(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool {
		f = strings.TrimSpace(f)
		return f == "" || len(f) > 80 || isDigit(f[0]) || f[0] == '-'
	})
}

// separator returns the character between the fields of a table, which most of
// its first rows have equally often; 0 if it is no table.
func separator(text string) rune {
	var best rune
	most := 0
	for _, sep := range "\t,;|" {
		widths := map[int]int{}
		n := 0
		for r := range rows(headOf(text, guessBytes), sep) {
			if r.fields[0] != "" { // or it may be indented
				widths[len(r.fields)]++
			}
			n++
		}
		for width, same := range widths {
			if width > 1 && same*10 >= n*8 && same*100+width > most {
				best, most = sep, same*100+width
			}
		}
	}
	return best
}
