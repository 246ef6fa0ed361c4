package outline

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// An iniScanner reads sections and keys of TOML, INI files, properties and files of
// environment variables.
type iniScanner struct {
	format  string
	items   []item
	section int    // index of the section's item; -1 for none
	key     int    // index of the last key's item; -1 for none
	indent  int    // of the last key
	until   string // ends its value of several lines, with "]" at the beginning of a line; "" for none
}

func scanINI(format, text string) (outline, bool) {
	s := iniScanner{format: format, section: -1, key: -1}
	last := 0
	for l := range excerpt.Lines(text) {
		if bare := strings.TrimSpace(l.Text); bare != "" {
			s.line(l, bare)
		}
		last = l.N
	}
	s.endSection(last)
	return outline{kind: format, items: s.items}, len(s.items) > 0
}

func (s *iniScanner) endSection(line int) {
	if s.section >= 0 {
		s.items[s.section].end = int32(line)
	}
}

func (s *iniScanner) line(l excerpt.Line, bare string) {
	switch {
	case s.until != "":
		if s.until == "]" && bare[0] == ']' || s.until != "]" && strings.Contains(bare, s.until) {
			s.until = ""
		}
	case strings.IndexByte("#;", bare[0]) >= 0:
		return
	case bare[0] == '[':
		s.endSection(l.N - 1)
		s.section, s.key = len(s.items), -1
		s.items = append(s.items, item{line: int32(l.N), text: bare})
		return
	case s.key < 0 || l.Indent() <= s.indent || s.format == "TOML":
		s.assignment(l, bare)
		return
	}
	if s.key >= 0 {
		s.items[s.key].end = int32(l.N)
	}
}

// assignment reads a key and the first line of its value. Values of the
// environment, which may be secrets, are not shown.
func (s *iniScanner) assignment(l excerpt.Line, bare string) {
	i := strings.IndexAny(bare, "=:")
	if i <= 0 {
		return
	}
	value := strings.TrimSpace(bare[i+1:])
	it := item{line: int32(l.N), text: bare, brief: int32(i)}
	if s.section >= 0 {
		it.rank, it.indent = 1, 1
	}
	if s.format == "Environment" {
		it.text, it.brief = bare[:i], 0
	}
	s.open(value)
	if table := len(s.items) - 1; s.format == "TOML" && table >= 0 && table == s.section && namesTable(s.items[table].text, value) {
		s.items[table].text += " " + bare
		return
	}
	s.key, s.indent = len(s.items), l.Indent()
	s.items = append(s.items, it)
}

// open notes what of a value goes on below its line.
func (s *iniScanner) open(value string) {
	for _, quotes := range map[string][]string{"TOML": {`"""`, `'''`}, "Environment": {`"`, `'`}}[s.format] {
		if strings.HasPrefix(value, quotes) {
			if !strings.Contains(value[len(quotes):], quotes) {
				s.until = quotes
			}
			return
		}
	}
	if s.format == "TOML" && value != "" && value[0] == '[' && strings.IndexByte("[,", excerpt.LastByte(value)) >= 0 {
		s.until = "]"
	}
}

// namesTable reports whether a value is the string that tells a table of an array
// from the others: the first in it.
func namesTable(table, value string) bool {
	return strings.HasPrefix(table, "[[") && strings.HasSuffix(table, "]]") &&
		len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[1] != value[0]
}
