package outline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// scanPatch lists the files that a patch changes.
func scanPatch(text string) (outline, bool) {
	p := patch{}
	last := 0
	for l := range excerpt.Lines(text) {
		p.line(l, text[l.At+len(l.Text):])
		last = l.N
	}
	p.end(last)
	return outline{kind: "Patch", items: p.items}, len(p.items) > 0
}

type patch struct {
	items          []item
	added, removed int  // in the file
	was, is        int  // lines of the hunk that are to come
	parents        int  // of the merge whose hunk it is; 0: it is of none
	over           bool // a line has ended the hunk
	headed         bool // a line that names the file is above, and no hunk
}

// begin opens a file.
func (p *patch) begin(l excerpt.Line, name string) {
	p.end(l.N - 1)
	p.items = append(p.items, item{line: int32(l.N), text: excerpt.Clean(name, 150)})
	p.headed = true
}

func (p *patch) end(line int) {
	if i := len(p.items) - 1; i >= 0 {
		p.items[i].end = int32(line)
		p.items[i].text += fmt.Sprintf(" +%d -%d", p.added, p.removed)
	}
	*p = patch{items: p.items}
}

func (p *patch) line(l excerpt.Line, rest string) {
	if p.hunk(l.Text) {
		return
	}
	for _, mark := range [...]string{"diff --git ", "diff --cc ", "diff --combined ", "*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if strings.HasPrefix(l.Text, mark) {
			p.begin(l, l.Text[len(mark):])
			return
		}
	}
	switch {
	case strings.HasPrefix(l.Text, "@@"):
		p.was, p.is, p.parents = hunkSize(l.Text)
		p.over, p.headed = false, false
	case strings.HasPrefix(l.Text, "--- ") && strings.HasPrefix(strings.TrimLeft(rest, "\r\n"), "+++ "):
		if !p.headed {
			p.begin(l, l.Text[4:])
		}
	case p.headed && strings.HasPrefix(l.Text, "+++ "), p.over:
	case l.Text == "-- ", l.Text != "" && strings.IndexByte(" +-\\", l.Text[0]) < 0:
		p.over = true
	case strings.HasPrefix(l.Text, "+"):
		p.added++
	case strings.HasPrefix(l.Text, "-"):
		p.removed++
	}
}

// hunk counts a line of one, if it is.
func (p *patch) hunk(text string) bool {
	if p.was <= 0 && p.is <= 0 && p.parents == 0 {
		return false
	}
	if text == "" {
		text = " " // a blank that an editor took away
	}
	switch {
	case strings.IndexByte(" +-\\", text[0]) < 0:
		p.was, p.is, p.parents = 0, 0, 0
		return false
	case text[0] == '\\':
		return true
	}
	mark := text[:min(len(text), max(p.parents, 1))]
	switch {
	case strings.Contains(mark, "+"):
		p.added++
		p.is--
	case strings.Contains(mark, "-"):
		p.removed++
		p.was--
	default:
		p.was--
		p.is--
	}
	return true
}

// hunkSize reads @@ -1,2 +1,3 @@: how many lines were and are. Of a merge it
// returns how many parents there are instead.
func hunkSize(text string) (was, is, parents int) {
	if strings.HasPrefix(text, "@@@") {
		return 0, 0, len(text) - len(strings.TrimLeft(text, "@")) - 1
	}
	fields := strings.Fields(excerpt.Head(text, 100))
	if len(fields) < 3 || fields[0] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, 0
	}
	return rangeSize(fields[1]), rangeSize(fields[2]), 0
}

// rangeSize is how many lines -1,2 has; without a comma it is one.
func rangeSize(text string) int {
	_, size, ok := strings.Cut(text, ",")
	if !ok {
		return 1
	}
	n, _ := strconv.Atoi(size)
	return n
}
