package outline

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/internal/markdown"
)

// Ranks of what is in Markdown. Headings have their level, from 1 to 6.
const (
	rankOpening  = 7 // titles, the first block of a section, and tasks that are open
	rankBlock    = 8 // other paragraphs and items of lists
	rankTaskDone = 9
)

// A markdownScanner reads headings and the beginnings of paragraphs and list items.
// Code is not read.
type markdownScanner struct {
	text     string
	items    []item
	seen     map[string]int // the item of each block, which is listed once
	times    map[string]int // how often each is there
	list     bool           // no line is blank: each is a block
	meta     []string       // lines of the front matter
	newBlock bool           // a blank line or a heading is above
	opens    bool           // only blank lines are between a heading and the line
	done     int            // tasks
	todo     int
}

func scanMarkdown(text string) (outline, bool) {
	m := markdownScanner{text: text, newBlock: true, seen: map[string]int{}, times: map[string]int{}}
	m.list = !strings.Contains(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n\n")
	var reader markdown.Reader
	content, last, next := []byte(text), 0, 0
	for l := range linesOf(text) {
		if last = l.N; l.At >= next { // a heading may have two lines
			read := reader.Next(content[l.At:])
			m.line(l, strings.TrimSpace(l.Text), read)
			next = l.At + read.Size
		}
	}
	m.endSections(last)
	found := outline{kind: "Markdown", items: m.items}
	if len(m.meta) > 0 {
		found.notes = append(found.notes, "front matter: "+strings.Join(m.meta, ", "))
	}
	if m.todo+m.done > 0 {
		found.notes = append(found.notes, fmt.Sprintf("tasks: %d open, %d done", m.todo, m.done))
	}
	return found, true
}

func (m *markdownScanner) line(l textLine, bare string, read markdown.Line) {
	switch read.Kind {
	case markdown.Meta:
		if len(m.meta) < 12 && l.indent() == 0 && strings.ContainsAny(bare, ":=") && bare[0] != '#' {
			m.meta = append(m.meta, clean(bare, 60))
		}
	case markdown.Blank:
		m.newBlock = true
	case markdown.Hidden:
		m.newBlock, m.opens = true, false
	case markdown.Heading:
		if bare[0] != '#' { // it is underlined
			bare = strings.Repeat("#", read.Level) + " " + bare
		}
		m.items = append(m.items, item{line: int32(l.N), rank: int16(read.Level), text: bare})
		m.newBlock, m.opens = true, true
	default:
		if l.indent() > 3 && bare[0] == '#' && strings.HasPrefix(strings.TrimLeft(bare, "#"), " ") {
			m.newBlock = false // a comment of indented code, which would look like a heading
			break
		}
		m.paragraph(l, bare)
	}
}

// endSections sets the last lines of the headings: each section ends above the next
// heading of its level or of an upper one.
func (m *markdownScanner) endSections(last int) {
	var ends [rankOpening]int32 // of sections of each level
	for level := range ends {
		ends[level] = int32(last)
	}
	for i := len(m.items) - 1; i >= 0; i-- {
		it := &m.items[i]
		if it.rank >= rankOpening {
			continue
		}
		it.end = ends[it.rank]
		for level := it.rank; level < rankOpening; level++ {
			ends[level] = it.line - 1
		}
	}
}

// paragraph notes where a block begins, and tasks.
func (m *markdownScanner) paragraph(l textLine, bare string) {
	if !hasWord(bare) {
		return
	}
	it := item{line: int32(l.N), rank: rankBlock, text: bare}
	if m.opens {
		it.rank = rankOpening
	}
	mark := bullet(bare)
	switch task := bare[len(mark):]; {
	case mark == "" || !strings.HasPrefix(task, "["):
	case strings.HasPrefix(task, "[ ]"):
		m.todo++
		it.rank = rankOpening
	case strings.HasPrefix(task, "[x]"), strings.HasPrefix(task, "[X]"):
		m.done++
		it.rank = rankTaskDone
	}
	if mark == "" && m.newBlock && !m.list && bare[0] != '|' { // no row of a table
		if it.text = paragraphOf(m.text[l.At:]); it.text == bare && isTitle(bare) {
			it.rank = rankOpening
		}
	}
	if m.newBlock || mark != "" && l.indent() < 2 {
		if m.times[it.text]++; m.times[it.text] > 1 {
			m.items[m.seen[it.text]].note = fmt.Sprintf(" (%d times, to line %d)", m.times[it.text], it.line)
		} else {
			m.seen[it.text] = len(m.items)
			m.items = append(m.items, it)
		}
	}
	m.newBlock, m.opens = m.list, false
}

// bullet is the mark of a list item with its blank, or "".
func bullet(bare string) string {
	n := len(bare) - len(strings.TrimLeft(bare, "0123456789"))
	marks := ".)"
	if n == 0 {
		marks = "-*+"
	}
	if n < 10 && len(bare) > n+2 && strings.IndexByte(marks, bare[n]) >= 0 && bare[n+1] == ' ' {
		return bare[:n+2]
	}
	return ""
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
