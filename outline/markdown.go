package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A markdown scanner reads headings outside of code, with their first sentences.
type markdown struct {
	text    string
	items   []item
	open    []int // the items of the headings that the line is below
	blocks  []item
	fence   fence
	until   string       // ends the HTML block that the line is in
	front   string       // ends the front matter that the line is in
	before  excerpt.Line // the line above, where it can be a heading once it is underlined
	atBlock bool         // a block may begin here
	done    int          // tasks
	todo    int
	meta    []string
}

// A fence is the mark of a code block, and how far it is indented.
type fence struct {
	mark   byte
	length int
	indent int
	list   int // how far the lines are of the list's item that it begins; 0: of none
}

func scanMarkdown(text string) (outline, bool) {
	m := markdown{text: text, atBlock: true}
	last := 0
	for l := range excerpt.Lines(text) {
		m.line(l)
		last = l.N
	}
	for _, i := range m.open {
		m.items[i].end = int32(last)
	}
	found := outline{kind: "Markdown", items: m.items}
	if len(m.meta) > 0 {
		found.notes = append(found.notes, "front matter: "+strings.Join(m.meta, ", "))
	}
	if m.todo+m.done > 0 {
		found.notes = append(found.notes, fmt.Sprintf("tasks: %d open, %d done", m.todo, m.done))
	}
	blocks := once(m.blocks)
	if len(m.items) == 0 {
		found.items, found.wide = blocks, true
		return found, true
	}
	found.extra = blocks
	return found, true
}

func (m *markdown) line(l excerpt.Line) {
	bare := strings.TrimSpace(l.Text)
	above := m.before
	m.before = excerpt.Line{}
	switch {
	case l.N == 1 && (bare == "---" || bare == "+++") && hasFrontMatter(m.text[l.At+len(l.Text):], bare):
		m.front = bare
		return
	case m.front != "":
		m.frontMatter(l, bare)
		return
	case m.fence.mark != 0 && !m.leavesItem(l, bare):
		if m.fence.closedBy(l, bare) {
			m.fence = fence{}
		}
		return
	case m.until != "":
		if strings.Contains(l.Text, m.until) {
			m.until = ""
		}
		return
	case bare == "":
		m.atBlock = true
		return
	}
	if m.fence = openFence(l); m.fence.mark != 0 {
		m.atBlock = true
		return
	}
	indent := l.Indent()
	if level := atxLevel(bare); level > 0 && indent < 4 {
		m.heading(l.N, l.N, level, bare, l.At+len(l.Text))
		return
	}
	if level := underline(bare); level > 0 && indent < 4 && above.N > 0 {
		if n := len(m.blocks); n > 0 && int(m.blocks[n-1].line) == above.N {
			m.blocks = m.blocks[:n-1]
		}
		m.heading(above.N, l.N, level, strings.TrimSpace(above.Text), l.At+len(l.Text))
		return
	}
	if m.until = htmlBlock(bare); m.until != "" {
		return
	}
	m.paragraph(l, bare, indent)
}

func (m *markdown) frontMatter(l excerpt.Line, bare string) {
	if strings.HasPrefix(bare, m.front) {
		m.front = ""
		return
	}
	if len(m.meta) < 12 && l.Indent() == 0 && (strings.Contains(bare, ":") || m.front == "+++" && strings.Contains(bare, "=")) {
		m.meta = append(m.meta, excerpt.Clean(bare, 60))
	}
}

// hasFrontMatter says whether keys and a closing line follow.
func hasFrontMatter(text, mark string) bool {
	text = strings.TrimLeft(text, "\r\n")
	first, rest, _ := strings.Cut(text, "\n")
	keys := yamlKey(first) != "" || mark == "+++" && strings.Contains(first, "=")
	return keys && (strings.Contains(rest, "\n"+mark) || strings.HasPrefix(rest, mark))
}

// heading closes the sections of its level and below it, and opens its own.
func (m *markdown) heading(n, until, level int, text string, at int) {
	for len(m.open) > 0 && int(m.items[m.open[len(m.open)-1]].rank) >= level {
		m.items[m.open[len(m.open)-1]].end = int32(n - 1)
		m.open = m.open[:len(m.open)-1]
	}
	m.open = append(m.open, len(m.items))
	if until > n {
		text = strings.Repeat("#", level) + " " + text
	}
	m.items = append(m.items, item{line: int32(n), rank: int16(level), text: text, more: m.opening(at)})
	m.atBlock = true
}

// opening is the paragraph below a heading, if there is one.
func (m *markdown) opening(at int) string {
	rest := excerpt.Head(m.text[at:], 600)
	trimmed := strings.TrimLeft(rest, "\r\n \t")
	if trimmed == "" || strings.IndexByte("#`~|<=", trimmed[0]) >= 0 || strings.HasPrefix(trimmed, "---") {
		return ""
	}
	if end := strings.Index(trimmed, "\n\n"); end >= 0 {
		trimmed = trimmed[:end]
	}
	if at := strings.Index(trimmed, "\n#"); at >= 0 {
		trimmed = trimmed[:at]
	}
	return trimmed
}

// paragraph notes blocks and tasks, which stand in where headings are few.
func (m *markdown) paragraph(l excerpt.Line, bare string, indent int) {
	marker := bullet(bare)
	if marker == "" && indent < 4 && (m.atBlock || m.blocks == nil) {
		m.before = l
	}
	task := marker != "" && len(bare) > len(marker)+3 && bare[len(marker)] == '[' && bare[len(marker)+2] == ']'
	open := task && bare[len(marker)+1] == ' '
	switch {
	case open:
		m.todo++
	case task:
		m.done++
	}
	if m.atBlock || marker != "" && indent < 2 {
		rank := int16(8)
		if task && !open {
			rank = 9
		}
		m.blocks = append(m.blocks, item{line: int32(l.N), rank: rank, text: bare})
	}
	m.atBlock = false
}

// atxLevel is the level of a heading that begins with number signs, or 0.
func atxLevel(bare string) int {
	n := 0
	for n < len(bare) && bare[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(bare) && bare[n] != ' ' && bare[n] != '\t' {
		return 0
	}
	return n
}

// underline is the level that a line gives to the one above it, or 0.
func underline(bare string) int {
	switch {
	case strings.Trim(bare, "=") == "":
		return 1
	case strings.Trim(bare, "-") == "":
		return 2
	}
	return 0
}

// openFence reads the fence that a line begins with, after the marks of lists.
func openFence(l excerpt.Line) fence {
	bare := strings.TrimLeft(l.Text, " \t")
	marks := 0
	for n := listMark(bare); n > 0 && marks < 16; n = listMark(bare) {
		bare = bare[n:]
		marks++
	}
	if bare == "" || bare[0] != '`' && bare[0] != '~' {
		return fence{}
	}
	f := fence{mark: bare[0], length: len(bare) - len(strings.TrimLeft(bare, bare[:1]))}
	f.indent = columns(l.Text[:len(l.Text)-len(bare)], 8)
	if marks > 0 {
		f.list = columns(l.Text[:len(l.Text)-len(bare)], 4)
	}
	if f.length < 3 || f.mark == '`' && strings.IndexByte(bare[f.length:], '`') >= 0 {
		return fence{}
	}
	return f
}

// listMark is the length of the mark of a list's item and of the blanks after
// it, of which more than four begin code; 0: it is none.
func listMark(bare string) int {
	n := 1
	switch {
	case bare == "":
		return 0
	case strings.IndexByte("-*+", bare[0]) < 0:
		for n = 0; n < len(bare) && n < 9 && bare[n] >= '0' && bare[n] <= '9'; n++ {
		}
		if n == 0 || n == len(bare) || bare[n] != '.' && bare[n] != ')' {
			return 0
		}
		n++
	}
	rest := strings.TrimLeft(bare[n:], " \t")
	blanks := len(bare) - n - len(rest)
	if blanks == 0 || blanks > 4 {
		return 0
	}
	return n + blanks
}

// columns is how far a text reaches; a tab goes to the next multiple of tab.
func columns(text string, tab int) int {
	n := 0
	for i := range len(text) {
		if text[i] == '\t' {
			n += tab - n%tab
		} else {
			n++
		}
	}
	return n
}

// leavesItem says whether a line ends the code because it ends the list's item
// that holds it. It does not where the next fence can but be the end: the code
// was not indented with care.
func (m *markdown) leavesItem(l excerpt.Line, bare string) bool {
	if bare == "" || l.Indent() >= m.fence.list || m.fence.closedBy(l, bare) {
		return false
	}
	for next := range excerpt.Lines(m.text[l.At:]) {
		if f := openFence(next); f.mark == m.fence.mark {
			if m.fence.closedBy(next, strings.TrimSpace(next.Text)) {
				m.fence.list = 0
				return false
			}
			break
		}
	}
	m.fence = fence{}
	return true
}

func (f fence) closedBy(l excerpt.Line, bare string) bool {
	if bare == "" {
		return false
	}
	n := len(bare) - len(strings.TrimLeft(bare, string(f.mark)))
	return n >= f.length && n == len(bare) && l.Indent() < f.indent+4
}

// htmlBlock returns what ends a block of HTML that hides Markdown, or "".
func htmlBlock(bare string) string {
	if bare[0] != '<' {
		return ""
	}
	for _, b := range [...][2]string{{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}} {
		if len(bare) >= len(b[0]) && strings.EqualFold(bare[:len(b[0])], b[0]) && !strings.Contains(bare, b[1]) {
			return b[1]
		}
	}
	return ""
}

// bullet is the mark of a list's item with its blank, or "".
func bullet(bare string) string {
	if len(bare) > 2 && strings.IndexByte("-*+", bare[0]) >= 0 && bare[1] == ' ' {
		return bare[:2]
	}
	n := 0
	for n < len(bare) && n < 9 && bare[n] >= '0' && bare[n] <= '9' {
		n++
	}
	if n > 0 && len(bare) > n+2 && (bare[n] == '.' || bare[n] == ')') && bare[n+1] == ' ' {
		return bare[:n+2]
	}
	return ""
}
