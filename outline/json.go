package outline

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// mostNested is how deep arrays and objects may be nested.
const mostNested = 10000

// scanJSON reads one document, or one a line. Comments of whole lines and commas before
// an end are allowed in one document.
func scanJSON(text string) (outline, bool) {
	if found, ok := scanJSONLines(text); ok {
		return found, true
	}
	root, line, err := readJSON(text)
	if err != nil {
		root, line, err = readJSON(lastComma.ReplaceAllString(commentLine.ReplaceAllString(text, ""), "$1"))
	}
	found := outline{kind: "JSON", items: root.children(nil, 0, strings.Contains(text, "\n"))}
	if err != nil && len(found.items) == 0 {
		return outline{}, false
	}
	if err != nil {
		found.kind += fmt.Sprintf(", cut off or broken at line %d", line)
	}
	found.kind += ", " + root.summary()
	return found, true
}

// Comments of whole lines, and commas before an end.
var (
	commentLine = regexp.MustCompile(`(?m)^[ \t]*//.*$`)
	lastComma   = regexp.MustCompile(`,(\s*[}\]])`)
)

// scanJSONLines reads an object or array a line. It fails if there is only one, or
// if most lines are none.
func scanJSONLines(text string) (outline, bool) {
	r := jsonReader{}
	root := &shape{}
	records, bad := 0, 0
	for l := range linesOf(text) {
		bare := strings.TrimSpace(l.Text)
		switch {
		case bare == "":
		case strings.IndexByte("{[", bare[0]) >= 0 && json.Valid([]byte(bare)):
			_ = r.read(root, bare) // it is valid
			records++
		default:
			bad++
		}
	}
	if bad >= records || records < 2 {
		return outline{}, false
	}
	found := outline{kind: "JSON lines, " + plural(records, "record"), items: root.children(nil, 0, false)}
	if bad > 0 {
		found.notes = append(found.notes, "no JSON: "+plural(bad, "line"))
	}
	if root.objects == 0 {
		found.notes = append(found.notes, "each: "+root.summary())
	}
	return found, true
}

// readJSON returns the shape of a document, and the line on which it ends or is
// broken.
func readJSON(text string) (*shape, int32, error) {
	text = strings.TrimRight(text, " \t\r\n")
	r, root := jsonReader{}, &shape{}
	err := r.read(root, text)
	rest := text[r.at:]
	if err == nil && rest != "" {
		err = errors.New("more than one document")
	}
	next := len(rest) - len(strings.TrimLeft(rest, " \t\r\n,:"))
	return root, r.line + int32(strings.Count(rest[:next], "\n")), err
}

// A jsonReader reads the shapes of values.
type jsonReader struct {
	text    string
	dec     *json.Decoder
	at      int   // bytes that were read
	line    int32 // at that byte
	ignored shape // of all values that are not shown
}

func (r *jsonReader) read(to *shape, text string) error {
	r.text, r.at, r.line = text, 0, 1
	r.dec = json.NewDecoder(strings.NewReader(text))
	r.dec.UseNumber()
	return r.value(to, 0)
}

func (r *jsonReader) token() (json.Token, error) {
	token, err := r.dec.Token()
	end := int(r.dec.InputOffset())
	r.line += int32(strings.Count(r.text[r.at:end], "\n"))
	r.at = end
	return token, err
}

func (r *jsonReader) value(to *shape, depth int) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	if to.total() == 0 {
		to.line = r.line
	}
	switch token := token.(type) {
	case nil:
		to.nulls++
	case bool:
		to.bools++
	case json.Number:
		to.number(token.String())
	case string:
		to.text(token)
	case json.Delim:
		err = r.inside(to, token, depth)
	}
	to.end = r.line
	return err
}

// inside reads an object or array after its opening bracket, to the end.
func (r *jsonReader) inside(to *shape, open json.Delim, depth int) (err error) {
	if depth > mostNested {
		return errors.New("nested too deep")
	}
	keep := to != &r.ignored && depth < deepest
	n := 0
	for ; err == nil && r.dec.More(); n++ {
		inner := &r.ignored
		if open == '{' {
			var key json.Token
			if key, err = r.token(); err != nil {
				break
			}
			if keep {
				inner = to.child(key.(string), r.line)
			}
		} else if keep {
			inner = to.element()
		}
		err = r.value(inner, depth+1)
	}
	if open == '{' {
		to.objects++
	} else {
		to.size(n)
	}
	if err == nil {
		_, err = r.token()
	}
	return err
}
