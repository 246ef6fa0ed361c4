package outline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
	"golang.org/x/net/html"
)

// manyElements is how many nested elements of XML are told apart.
const manyElements = 256

// scanHTML reads HTML by its headings, its sections and the elements with an id.
func scanHTML(text string) (outline, bool) {
	m := markupScanner{in: text}
	m.read()
	return outline{kind: "HTML", items: m.items}, len(m.items) > 0
}

// scanXML reads XML by its elements: each path once, and how often it is there.
func scanXML(text string) (outline, bool) {
	if isHTML(text) {
		return scanHTML(text)
	}
	m := markupScanner{in: text, xml: true, paths: map[xmlElement]int32{}}
	m.read()
	for i, n := range m.counts {
		if n > 1 {
			m.items[i].note = fmt.Sprintf(" ×%d", n)
		}
	}
	return outline{kind: "XML", items: m.items}, len(m.items) > 0
}

var htmlTag = regexp.MustCompile(`(?i)<(?:!doctype html|html|head|body|h[12]|div|p|style|template)[ >]`)

func isHTML(text string) bool {
	head := excerpt.Head(text, 2000)
	return htmlTag.MatchString(head) && (!strings.Contains(head, "<?xml") || strings.Contains(head, "<html"))
}

// A markupScanner reads the tags of HTML or XML with the tokenizer of HTML, which
// reads any text, in time that grows with its length.
type markupScanner struct {
	in      string
	xml     bool
	items   []item
	heading int // index of the item, from 1, of the heading that the text is of; 0 for none

	paths  map[xmlElement]int32
	counts []int // of each path
	open   []xmlElement
}

// An xmlElement is a name and a place.
type xmlElement struct {
	path int32 // index of an item: of the element if it is open, of its parent in paths; -1 for none
	name string
}

func (m *markupScanner) read() {
	z := html.NewTokenizer(strings.NewReader(m.in))
	z.AllowCDATA(m.xml)
	line, at := int32(1), 0
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		raw := m.in[at : at+len(z.Raw())]
		at += len(raw)
		tag := kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken
		switch n := m.heading; {
		case tag && m.xml:
			z.NextIsNotRawText() // as the text of a script is in HTML
			m.path(raw, kind, line)
		case tag:
			m.element(z, kind, line)
		case n > 0 && kind == html.TextToken && len(m.items[n-1].text) < 400:
			m.items[n-1].text += string(z.Text())
		}
		line += int32(strings.Count(raw, "\n"))
	}
}

// sections are the elements of HTML that are shown even without an id.
var sections = map[string]bool{"main": true, "nav": true, "section": true, "article": true, "form": true, "table": true, "header": true, "footer": true, "aside": true, "template": true, "script": true, "style": true}

// element notes what gives a page its structure.
func (m *markupScanner) element(z *html.Tokenizer, kind html.TokenType, line int32) {
	tagName, more := z.TagName()
	name, id := string(tagName), ""
	for more {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "id" {
			id = fmt.Sprintf(" id=%q", value)
		}
	}
	heading := name == "title" || len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
	if heading {
		m.heading = 0
	}
	it := item{line: line, rank: 8, text: "<" + name + id + ">"}
	switch {
	case kind == html.EndTagToken:
		return
	case heading:
		m.heading = len(m.items) + 1
		it.text = name + " "
		if it.rank = 0; name != "title" {
			it.rank = int16(name[1] - '1')
		}
	case sections[name]:
		it.rank = 7
	case id == "":
		return
	}
	m.items = append(m.items, it)
}

// path counts an element of XML at its place.
func (m *markupScanner) path(tag string, kind html.TokenType, line int32) {
	tag = strings.Trim(tag, "</> \t\r\n")
	name := tag
	if i := strings.IndexAny(tag, "/ \t\r\n"); i >= 0 {
		name = tag[:i]
	}
	if kind == html.EndTagToken {
		m.closeElement(name)
		return
	}
	key := xmlElement{-1, name}
	if n := len(m.open); n > 0 {
		key.path = m.open[n-1].path
	}
	at, known := m.paths[key]
	if !known {
		at = int32(len(m.items))
		m.paths[key] = at
		depth := int16(len(m.open))
		m.items = append(m.items, item{line: line, rank: depth, indent: depth, text: "<" + excerpt.Clean(tag, 80) + ">", brief: int32(len(name) + 1)})
		m.counts = append(m.counts, 0)
	}
	m.counts[at]++
	if kind == html.StartTagToken && len(m.open) < manyElements {
		m.open = append(m.open, xmlElement{at, name})
	}
}

// closeElement closes the element of that name, unless it is far up: then the tag
// is a stray one.
func (m *markupScanner) closeElement(name string) {
	for i := len(m.open) - 1; i >= max(0, len(m.open)-8); i-- {
		if m.open[i].name == name {
			m.open = m.open[:i]
			return
		}
	}
}
