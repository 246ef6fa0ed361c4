package outline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const (
	deepest    = 48    // values below are checked and not shown
	manyShapes = 20000 // so many keys are kept
)

// A jsonReader reads JSON, and forgives comments and commas before an end.
type jsonReader struct {
	in       string
	at       int
	line     int32
	shapes   int
	comments bool
	open     []jsonFrame // what the value is in
}

type jsonFrame struct {
	of    *shape // nil: too deep to be kept
	array bool
	n     int
}

var errJSON = errors.New("invalid JSON")

func scanJSON(text string) (outline, bool) {
	r := jsonReader{in: text, line: 1}
	root := &shape{}
	documents, err := r.documents(root)
	if root.total() == 0 {
		return outline{}, false
	}
	found := outline{kind: "JSON"}
	if r.comments {
		found.kind = "JSON with comments"
	}
	if err != nil {
		if root.objects+root.arrays == 0 {
			return outline{}, false
		}
		last := min(int(r.line), countLines(text))
		r.abandon(int32(last))
		found.broken = true
		found.kind = fmt.Sprintf("JSON, broken at line %d", last)
		if r.at >= len(text) {
			found.kind = fmt.Sprintf("JSON, cut off at line %d", last)
		}
	} else if documents > 1 {
		found.kind += fmt.Sprintf(", %d documents", documents)
	}
	if root.objects == 0 && root.arrays == 0 {
		found.kind += ", " + root.describe()
		return found, true
	}
	found.kind += ", " + root.summary()
	found.items = root.children(nil, 0, documents == 1 && strings.Contains(text, "\n"))
	return found, true
}

// documents reads those of a text, one after the other. Where the first is a
// line, so should they all be, and it is broken.
func (r *jsonReader) documents(root *shape) (int, error) {
	err := r.value(root)
	first := r.line
	for n := 1; ; n++ {
		if err != nil {
			return n, err
		}
		from := r.line
		if r.space(); r.at == len(r.in) {
			return n, nil
		}
		if c := r.in[r.at]; c != '{' && c != '[' || first == root.line && r.line > from {
			return n, errJSON
		}
		err = r.value(root)
	}
}

// abandon closes what has no end.
func (r *jsonReader) abandon(line int32) {
	for _, f := range r.open {
		if f.of == nil {
			continue
		}
		f.of.end = line
		switch {
		case !f.array:
			f.of.cutObject = true
		case f.of.arrays == 1 || f.n >= f.of.most:
			f.of.cutArray = true
			f.close(line)
		}
	}
	r.open = nil
}

// scanJSONLines reads a document a line. Where most lines are none, it is broken.
func scanJSONLines(text string) (outline, bool) {
	root := &shape{}
	r := jsonReader{}
	records, bad := 0, 0
	var firstBad excerpt.Line
	for l := range excerpt.Lines(text) {
		if l.Blank() {
			continue
		}
		if !r.record(l, root) {
			if bad++; bad == 1 {
				firstBad = l
			}
			continue
		}
		records++
	}
	if records == 0 {
		return outline{}, false
	}
	found := outline{kind: fmt.Sprintf("JSON lines, %s", plural(records, "record"))}
	if bad > 0 {
		found.broken = bad >= root.objects+root.arrays
		found.notes = append(found.notes, fmt.Sprintf("no JSON: %s, the first is line %d: %s", plural(bad, "line"), firstBad.N, excerpt.Clean(firstBad.Text, 80)))
	}
	if root.objects == 0 {
		found.notes = append(found.notes, "each: "+root.summary())
	}
	found.items = root.children(nil, 0, false)
	return found, true
}

// record reads a line into a shape, to which a line that is no JSON adds nothing.
func (r *jsonReader) record(l excerpt.Line, root *shape) bool {
	bare := strings.TrimSpace(l.Text)
	whole := bare[0] == '{' && excerpt.LastByte(bare) == '}' || bare[0] == '[' && excerpt.LastByte(bare) == ']'
	return (whole || r.only(l, nil)) && r.only(l, root)
}

// only says whether a line is one document.
func (r *jsonReader) only(l excerpt.Line, root *shape) bool {
	r.in, r.at, r.line = l.Text, 0, int32(l.N)
	if r.value(root) != nil {
		return false
	}
	r.space()
	return r.at == len(r.in)
}

func (r *jsonReader) space() {
	for r.at < len(r.in) {
		switch c := r.in[r.at]; {
		case c == '\n':
			r.line++
			r.at++
		case c == ' ' || c == '\t' || c == '\r':
			r.at++
		case c == '/' && strings.HasPrefix(r.in[r.at:], "//"):
			r.at += excerpt.Until(r.in[r.at:], "\n")
			r.comments = true
		case c == '/' && strings.HasPrefix(r.in[r.at:], "/*"):
			n := min(len(r.in)-r.at, 2+excerpt.Until(r.in[r.at+2:], "*/")+2)
			r.line += int32(strings.Count(r.in[r.at:r.at+n], "\n"))
			r.at += n
			r.comments = true
		default:
			return
		}
	}
}

// value reads one, and all that is in it, into its shape.
func (r *jsonReader) value(root *shape) error {
	r.open = r.open[:0]
	to := root
	for {
		r.space()
		if r.at >= len(r.in) {
			return errJSON
		}
		switch c := r.in[r.at]; c {
		case '{', '[':
			r.at++
			if to != nil {
				if to.total() == 0 {
					to.line = r.line
				}
				if c == '{' {
					to.objects++
				} else {
					to.arrays++
				}
			}
			r.open = append(r.open, jsonFrame{of: to, array: c == '['})
		default:
			if err := r.scalar(to); err != nil {
				return err
			}
		}
		var err error
		if to, err = r.next(); err != nil || len(r.open) == 0 {
			return err
		}
	}
}

// next goes on after a value, or into an object or array that was just opened,
// and returns the shape of the value that follows.
func (r *jsonReader) next() (*shape, error) {
	fresh := len(r.open) > 0 && r.open[len(r.open)-1].n == 0 && r.at > 0 && (r.in[r.at-1] == '{' || r.in[r.at-1] == '[')
	for len(r.open) > 0 {
		f := &r.open[len(r.open)-1]
		r.space()
		if r.at >= len(r.in) {
			return nil, errJSON
		}
		c := r.in[r.at]
		if !fresh && c == ',' {
			r.at++
			r.space()
			if r.at >= len(r.in) {
				return nil, errJSON
			}
			c = r.in[r.at]
		} else if !fresh && c != '}' && c != ']' {
			return nil, errJSON
		}
		if c == '}' || c == ']' {
			if (c == ']') != f.array {
				return nil, errJSON
			}
			r.at++
			f.close(r.line)
			r.open = r.open[:len(r.open)-1]
			fresh = false
			continue
		}
		f.n++
		return r.into(f, len(r.open))
	}
	return nil, nil
}

// into returns the shape of the element or key that begins here.
func (r *jsonReader) into(f *jsonFrame, depth int) (*shape, error) {
	keep := f.of != nil && depth < deepest && r.shapes < manyShapes
	if f.array {
		if !keep {
			return nil, nil
		}
		if f.of.elem == nil {
			f.of.elem = &shape{line: r.line}
			r.shapes++
		}
		return f.of.elem, nil
	}
	line := r.line
	key, err := r.text()
	if err != nil {
		return nil, err
	}
	r.space()
	if r.at >= len(r.in) || r.in[r.at] != ':' {
		return nil, errJSON
	}
	r.at++
	if !keep {
		if f.of != nil {
			f.of.lost++
		}
		return nil, nil
	}
	n := len(f.of.keys)
	to := f.of.child(key, line)
	r.shapes += len(f.of.keys) - n
	return to, nil
}

func (f *jsonFrame) close(line int32) {
	if f.of == nil {
		return
	}
	f.of.end = line
	if !f.array {
		return
	}
	if f.of.arrays == 1 {
		f.of.least = f.n
	}
	f.of.least, f.of.most = min(f.of.least, f.n), max(f.of.most, f.n)
}

func (r *jsonReader) text() (string, error) {
	if r.in[r.at] != '"' {
		return "", errJSON
	}
	from := r.at + 1
	for i := from; i < len(r.in); i++ {
		switch r.in[i] {
		case '"':
			r.at = i + 1
			return r.in[from:i], nil
		case '\\':
			i++
		case '\n':
			return "", errJSON
		}
	}
	r.at = len(r.in)
	return "", errJSON
}

func (r *jsonReader) scalar(to *shape) error {
	if r.in[r.at] == '"' {
		text, err := r.text()
		if err == nil && to != nil {
			to.text(text)
		}
		return err
	}
	from := r.at
	for r.at < len(r.in) && (excerpt.IsWord(r.in[r.at]) || r.in[r.at] == '-' || r.in[r.at] == '+' || r.in[r.at] == '.') {
		r.at++
	}
	var ignored shape
	if to == nil {
		to = &ignored
	}
	switch w := r.in[from:r.at]; {
	case w == "true" || w == "false":
		to.bools++
	case w == "null":
		to.nulls++
	case w != "" && (w[0] == '-' || w[0] >= '0' && w[0] <= '9'):
		to.number(w)
	default:
		return errJSON
	}
	return nil
}
