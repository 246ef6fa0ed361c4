package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// mostNested is how deep arrays and objects may be nested.
const mostNested = 10000

// scanJSON reads one document, or several one after the other, or one a line.
func scanJSON(text string) (outline, bool) {
	found, ok := scanDocuments(text)
	if !ok || found.broken {
		if lines, ok := scanJSONLines(text); ok {
			return lines, true
		}
	}
	return found, ok
}

// scanDocuments reads documents one after the other. If the first is on one line,
// it is the only one.
func scanDocuments(text string) (outline, bool) {
	r := jsonReader{in: strings.TrimRight(text, " \t\r\n"), line: 1}
	root := &shape{}
	documents, ok := 0, true
	for from := r.line; ok; from = r.line {
		if r.space(); r.at == len(r.in) {
			break
		}
		if c := r.in[r.at]; documents > 0 && (c != '{' && c != '[' || from == 1) {
			ok = false
			break
		}
		documents++
		ok = r.value(root, 0)
	}
	if root.objects+root.arrays == 0 && (!ok || root.total() == 0) {
		return outline{}, false
	}
	found := outline{kind: "JSON", broken: !ok}
	switch {
	case !ok && r.at >= len(r.in):
		found.kind = fmt.Sprintf("JSON, cut off at line %d", r.line)
	case !ok:
		found.kind = fmt.Sprintf("JSON, broken at line %d", r.line)
	case r.comments:
		found.kind = "JSON with comments"
	}
	if documents > 1 {
		found.kind += fmt.Sprintf(", %d documents", documents)
	}
	found.kind += ", " + root.summary()
	found.items = root.children(nil, 0, documents == 1 && strings.Contains(text, "\n"))
	return found, true
}

// scanJSONLines reads an object or array a line. It fails if most lines are none.
func scanJSONLines(text string) (outline, bool) {
	root := &shape{}
	records, bad := 0, 0
	var firstBad excerpt.Line
	for l := range excerpt.Lines(text) {
		bare := strings.TrimSpace(l.Text)
		if bare == "" {
			continue
		}
		r := jsonReader{in: bare, line: int32(l.N)}
		whole := bare[0] == '{' && bare[len(bare)-1] == '}' || bare[0] == '[' && bare[len(bare)-1] == ']'
		if whole && r.value(root, 0) {
			records++
		} else if bad++; bad == 1 {
			firstBad = l
		}
	}
	if bad >= records {
		return outline{}, false
	}
	found := outline{kind: "JSON lines, " + plural(records, "record")}
	if bad > 0 {
		found.notes = append(found.notes, fmt.Sprintf("no JSON: %s, the first is line %d: %s", plural(bad, "line"), firstBad.N, excerpt.Clean(firstBad.Text, 80)))
	}
	if root.objects == 0 {
		found.notes = append(found.notes, "each: "+root.summary())
	}
	found.items = root.children(nil, 0, false)
	return found, true
}

// A jsonReader reads JSON, and allows comments and commas before an end.
type jsonReader struct {
	in       string
	at       int
	line     int32
	comments bool
	ignored  shape // of all values that are not shown
}

func (r *jsonReader) space() {
	for r.at < len(r.in) {
		rest := r.in[r.at:]
		switch {
		case rest[0] == '\n':
			r.line++
			r.at++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			r.at++
		case strings.HasPrefix(rest, "//"):
			r.at += excerpt.Until(rest, "\n")
			r.comments = true
		case strings.HasPrefix(rest, "/*"):
			n := min(len(rest), 4+excerpt.Until(rest[2:], "*/"))
			r.line += int32(strings.Count(rest[:n], "\n"))
			r.at += n
			r.comments = true
		default:
			return
		}
	}
}

// accept reads a byte after blanks, if it is there.
func (r *jsonReader) accept(c byte) bool {
	r.space()
	if r.at < len(r.in) && r.in[r.at] == c {
		r.at++
		return true
	}
	return false
}

// value reads a value into its shape. It returns false, at the byte that it cannot
// read, if the text is broken.
func (r *jsonReader) value(to *shape, depth int) bool {
	r.space()
	if r.at == len(r.in) || depth > mostNested {
		return false
	}
	if to.total() == 0 {
		to.line = r.line
	}
	ok := true
	switch r.in[r.at] {
	case '{':
		to.objects++
		ok = r.inside(to, '}', depth)
	case '[':
		to.arrays++
		ok = r.inside(to, ']', depth)
	case '"':
		var text string
		if text, ok = r.text(); ok {
			to.text(text)
		}
	default:
		ok = r.word(to)
	}
	to.end = r.line
	return ok
}

// inside reads an object or array from its opening bracket.
func (r *jsonReader) inside(to *shape, end byte, depth int) bool {
	r.at++
	keep := to != &r.ignored && depth < deepest
	n := 0
	more, ok := r.more(n, end)
	for more && ok {
		n++
		inner := &r.ignored
		if end == '}' {
			line := r.line
			var key string
			if key, ok = r.text(); ok && keep {
				inner = to.child(key, line)
			}
			ok = ok && r.accept(':')
		} else if keep {
			if to.elem == nil {
				to.elem = &shape{}
			}
			inner = to.elem
		}
		if ok = ok && r.value(inner, depth+1); ok {
			more, ok = r.more(n, end)
		}
	}
	to.cut = to.cut || !ok && (end == '}' || n >= to.most)
	if end == ']' {
		if to.arrays == 1 {
			to.least = n
		} else if ok {
			to.least = min(to.least, n)
		}
		to.most = max(to.most, n)
	}
	return ok
}

// more reads up to the next element or member after n of them, or the end. It
// returns false, false if there is neither.
func (r *jsonReader) more(n int, end byte) (more, ok bool) {
	switch {
	case r.accept(end):
		return false, true
	case n > 0 && !r.accept(','):
		return false, false
	case n > 0 && r.accept(end):
		return false, true
	}
	return r.at < len(r.in), r.at < len(r.in)
}

// text reads a string, and returns it as it stands between its quotes.
func (r *jsonReader) text() (string, bool) {
	if r.at == len(r.in) || r.in[r.at] != '"' {
		return "", false
	}
	from := r.at + 1
	for i := from; i < len(r.in); i++ {
		switch r.in[i] {
		case '"':
			r.at = i + 1
			return r.in[from:i], true
		case '\\':
			i++
		case '\n':
			return "", false
		}
	}
	r.at = len(r.in)
	return "", false
}

// word reads a value without quotes.
func (r *jsonReader) word(to *shape) bool {
	from := r.at
	for r.at < len(r.in) && (excerpt.IsWord(r.in[r.at]) || strings.IndexByte("-+.", r.in[r.at]) >= 0) {
		r.at++
	}
	switch w := r.in[from:r.at]; {
	case w == "true" || w == "false":
		to.bools++
	case w == "null":
		to.nulls++
	case w != "" && (w[0] == '-' || isDigit(w[0])):
		to.number(w)
	default:
		return false
	}
	return true
}
