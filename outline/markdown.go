package outline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A markdownScanner reads headings and, for the room that is left, the beginnings
// of paragraphs and list items. Code is not read.
type markdownScanner struct {
	text     string
	items    []item
	open     []int        // indexes of the headings that the line is below
	fence    string       // ends the code block that the line is in; "" for none
	until    string       // ends the HTML or front matter that the line is in; "" for none
	meta     []string     // lines of the front matter
	above    excerpt.Line // the line above, if underlining makes it a heading
	newBlock bool         // a blank line or a heading is above
	opens    bool         // only blank lines are between a heading and the line
	done     int          // tasks
	todo     int
}

func scanMarkdown(text string) (outline, bool) {
	m := markdownScanner{text: text, newBlock: true}
	last := 0
	for l := range excerpt.Lines(text) {
		m.line(l, strings.TrimSpace(l.Text))
		last = l.N
	}
	m.endSections(0, last)
	found := outline{kind: "Markdown", items: once(m.items, true)}
	if !slices.ContainsFunc(m.items, func(it item) bool { return !it.extra }) { // no headings
		for i := range found.items {
			found.items[i].extra = false
		}
	}
	if len(m.meta) > 0 {
		found.notes = append(found.notes, "front matter: "+strings.Join(m.meta, ", "))
	}
	if m.todo+m.done > 0 {
		found.notes = append(found.notes, fmt.Sprintf("tasks: %d open, %d done", m.todo, m.done))
	}
	return found, true
}

func (m *markdownScanner) line(l excerpt.Line, bare string) {
	above := m.above
	m.above = excerpt.Line{}
	switch {
	case m.fence != "":
		if bare = strings.TrimLeft(bare, "> \t"); strings.HasPrefix(bare, m.fence) && strings.Trim(bare, m.fence[:1]) == "" {
			m.fence = ""
		}
	case m.until != "":
		m.skip(l)
	case bare == "":
		m.newBlock = true
	case l.N == 1 && m.frontMatter(bare):
	case m.opensFence(bare):
		m.newBlock, m.opens = true, false
	case headingLevel(bare) > 0 && l.Indent() < 4:
		m.heading(l.N, headingLevel(bare), bare)
	case underlineLevel(bare) > 0 && above.N > 0:
		m.items = m.items[:len(m.items)-1] // of the line above
		level := underlineLevel(bare)
		m.heading(above.N, level, strings.Repeat("#", level)+" "+strings.TrimSpace(above.Text))
	case m.opensHTML(bare):
	default:
		m.paragraph(l, bare)
	}
}

// heading ends the sections of its level and below it, and begins one.
func (m *markdownScanner) heading(line, level int, text string) {
	m.endSections(level, line-1)
	m.open = append(m.open, len(m.items))
	m.items = append(m.items, item{line: int32(line), rank: int16(level), text: text})
	m.newBlock, m.opens = true, true
}

func (m *markdownScanner) endSections(level, line int) {
	for n := len(m.open); n > 0 && int(m.items[m.open[n-1]].rank) >= level; n-- {
		m.items[m.open[n-1]].end = int32(line)
		m.open = m.open[:n-1]
	}
}

// paragraph notes where a block begins, and tasks. The first block of a section
// has rank 1, tasks that are done have rank 3. Blocks are extra in a text that has
// headings.
func (m *markdownScanner) paragraph(l excerpt.Line, bare string) {
	if !strings.ContainsFunc(bare, unicode.IsLetter) && !strings.ContainsFunc(bare, unicode.IsDigit) {
		return
	}
	it := item{line: int32(l.N), rank: 2, text: bare, extra: true}
	marker := bullet(bare)
	if rest := bare[len(marker):]; marker != "" && len(rest) > 3 && rest[0] == '[' && rest[2] == ']' {
		if rest[1] == ' ' {
			m.todo++
		} else {
			m.done++
			it.rank = 3
		}
	} else if m.opens {
		it.rank = 1
	}
	begins := m.newBlock || marker != "" && l.Indent() < 2
	if begins && marker == "" {
		if bare[0] != '|' { // a table
			it.text = paragraphOf(m.text[l.At:])
		}
		if l.Indent() < 4 {
			m.above = l
		}
	}
	if begins {
		m.items = append(m.items, it)
	}
	m.newBlock, m.opens = false, false
}

// frontMatter reports whether a first line begins front matter: YAML, or TOML
// between plus signs. It must end, and begin with a key.
func (m *markdownScanner) frontMatter(bare string) bool {
	if bare != "---" && bare != "+++" {
		return false
	}
	_, rest, _ := strings.Cut(m.text, "\n")
	first, rest, _ := strings.Cut(rest, "\n")
	if !strings.ContainsAny(first, ":=") || !strings.Contains("\n"+rest, "\n"+bare) {
		return false
	}
	m.until = bare
	return true
}

// skip reads a line of front matter or of HTML.
func (m *markdownScanner) skip(l excerpt.Line) {
	front := m.until == "---" || m.until == "+++"
	switch {
	case front && strings.HasPrefix(l.Text, m.until), !front && strings.Contains(l.Text, m.until):
		m.until = ""
	case front && len(m.meta) < 12 && l.Indent() == 0 && strings.ContainsAny(l.Text, ":="):
		m.meta = append(m.meta, excerpt.Clean(l.Text, 60))
	}
}

// opensFence reports whether code begins on a line, which may be in a list or a
// quotation.
func (m *markdownScanner) opensFence(bare string) bool {
	m.fence = fenceOf(strings.TrimLeft(bare, "-*+0123456789.)> \t"))
	return m.fence != ""
}

// fenceOf returns the mark of a code block that a text begins with, or "".
func fenceOf(bare string) string {
	if !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") {
		return ""
	}
	rest := strings.TrimLeft(bare, bare[:1])
	if bare[0] == '`' && strings.Contains(rest, "`") {
		return "" // code within a line
	}
	return bare[:len(bare)-len(rest)]
}

// opensHTML reports whether HTML that may hide Markdown begins on a line.
func (m *markdownScanner) opensHTML(bare string) bool {
	for _, b := range [...][2]string{{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}} {
		if strings.HasPrefix(bare, b[0]) && !strings.Contains(bare, b[1]) {
			m.until = b[1]
			return true
		}
	}
	return false
}

// headingLevel is the level of a heading with number signs, or 0.
func headingLevel(bare string) int {
	n := len(bare) - len(strings.TrimLeft(bare, "#"))
	if n > 6 || n < len(bare) && bare[n] != ' ' && bare[n] != '\t' {
		return 0
	}
	return n
}

// underlineLevel is the level of a heading that a line underlines, or 0.
func underlineLevel(bare string) int {
	switch {
	case strings.Trim(bare, "=") == "":
		return 1
	case strings.Trim(bare, "-") == "":
		return 2
	}
	return 0
}

// bullet is the mark of a list item with its blank, or "".
func bullet(bare string) string {
	n := 0
	for n < len(bare) && n < 9 && isDigit(bare[n]) {
		n++
	}
	marks := ".)"
	if n == 0 {
		marks = "-*+"
	}
	if len(bare) > n+2 && strings.IndexByte(marks, bare[n]) >= 0 && bare[n+1] == ' ' {
		return bare[:n+2]
	}
	return ""
}
