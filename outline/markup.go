package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
	"golang.org/x/net/html"
)

// manyElements is how many nested elements of XML are told apart.
const manyElements = 256

// eachToken calls f with each token of HTML or XML, its text and its line. The
// tokenizer of HTML reads any text, in time that grows with its length.
func eachToken(text string, xml bool, f func(z *html.Tokenizer, kind html.TokenType, raw string, line int32)) {
	z := html.NewTokenizer(strings.NewReader(text))
	z.AllowCDATA(xml)
	line, at := int32(1), 0
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		raw := text[at : at+len(z.Raw())]
		at += len(raw)
		f(z, kind, raw, line)
		line += int32(strings.Count(raw, "\n"))
	}
}

// scanHTML reads HTML by its title and its headings, or as prose if it has none.
func scanHTML(text string) (outline, bool) {
	var items []item
	heading := false // the text is of the last item
	eachToken(text, false, func(z *html.Tokenizer, kind html.TokenType, _ string, line int32) {
		if kind == html.TextToken {
			if last := len(items) - 1; heading && len(items[last].text) < 400 {
				items[last].text += string(z.Text())
			}
			return
		}
		name, _ := z.TagName()
		if rank := headingRank(string(name)); rank >= 0 {
			if heading = kind != html.EndTagToken; heading {
				items = append(items, item{line: line, rank: int16(rank), text: string(name) + " "})
			}
		}
	})
	found := outline{items: items}
	if len(items) == 0 {
		found = scanProse(text)
	}
	found.kind = "HTML"
	return found, true
}

// headingRank returns the rank of a heading or title, or -1.
func headingRank(name string) int {
	if name == "title" {
		return 0
	}
	if len(name) == 2 && name[0] == 'h' {
		return strings.IndexByte("123456", name[1])
	}
	return -1
}

// An xmlScanner reads XML by its elements: each path once, and how often it is there.
type xmlScanner struct {
	items  []item
	counts []int
	paths  map[xmlElement]int // indexes of items
	open   []xmlElement
}

// An xmlElement is a name and the index of an item: of the element if it is open,
// of its parent in paths; -1 for none.
type xmlElement struct {
	item int
	name string
}

func scanXML(text string) (outline, bool) {
	s := xmlScanner{paths: map[xmlElement]int{}}
	eachToken(text, true, func(z *html.Tokenizer, kind html.TokenType, raw string, line int32) {
		if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
			z.NextIsNotRawText() // as the text of a script is in HTML
			s.tag(strings.Trim(raw, "</> \t\r\n"), kind, line)
		}
	})
	for i, n := range s.counts {
		if n > 1 {
			s.items[i].note = fmt.Sprintf(" ×%d", n)
		}
	}
	return outline{kind: "XML", items: s.items}, len(s.items) > 0
}

func (s *xmlScanner) tag(tag string, kind html.TokenType, line int32) {
	name := tag
	if i := strings.IndexAny(tag, "/ \t\r\n"); i >= 0 {
		name = tag[:i]
	}
	depth := len(s.open)
	if kind == html.EndTagToken {
		for i := depth - 1; i >= max(0, depth-8); i-- { // a tag of an element further up is a stray one
			if s.open[i].name == name {
				s.open = s.open[:i]
				return
			}
		}
		return
	}
	key := xmlElement{-1, name}
	if depth > 0 {
		key.item = s.open[depth-1].item
	}
	at, known := s.paths[key]
	if !known {
		at = len(s.items)
		s.paths[key] = at
		s.items = append(s.items, item{line: line, rank: int16(depth), indent: int16(depth), text: "<" + excerpt.Clean(tag, 80) + ">", brief: int32(len(name) + 1)})
		s.counts = append(s.counts, 0)
	}
	s.counts[at]++
	if kind == html.StartTagToken && depth < manyElements {
		s.open = append(s.open, xmlElement{at, name})
	}
}
