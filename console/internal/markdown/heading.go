package markdown

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// idPrefix begins every id, so that none is one of the page or a name that scripts look
// up in the document.
const idPrefix = "md-"

// maxID is the length of an id without its prefix, in bytes.
const maxID = 100

// nameHeadings gives each heading its level on the page and its id.
func (p *page) nameHeadings(list []*ast.Heading) {
	next := map[string]int{}
	var above []int // the levels in the text of the headings that a heading stands under
	for _, h := range list {
		if h.FirstChild() == nil { // without words it is none
			replace(h)
			continue
		}
		for len(above) > 0 && above[len(above)-1] >= h.Level {
			above = above[:len(above)-1]
		}
		above = append(above, h.Level)
		name := slug(p.wordsOf(h))
		id := idPrefix + name
		for p.ids[id] {
			next[name]++
			id = idPrefix + name + "-" + strconv.Itoa(next[name])
		}
		p.ids[id] = true
		h.Level = min(1+len(above), 6)
		h.SetAttributeString("id", []byte(id))
	}
}

// slug returns the id of a heading with these words, as GitHub makes it: lower case, a
// hyphen for each space, and no punctuation.
func slug(words string) string {
	var b strings.Builder
	for _, r := range words {
		switch {
		case b.Len() >= maxID:
			return b.String()
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.N):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
