package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// scanMarkup reads HTML by its headings and what has an id, and XML by its
// elements, each path once with how often it is there.
func scanMarkup(text string) (outline, bool) { return scanTags(text, isHTML(text)) }

// scanHTML reads a text as HTML whatever it begins with, if that shows anything.
func scanHTML(text string) (outline, bool) {
	if found, ok := scanTags(text, true); ok {
		return found, true
	}
	return scanMarkup(text)
}

func scanTags(text string, html bool) (outline, bool) {
	m := markup{in: text, line: 1, html: html, paths: map[pathKey]int{}}
	for m.at < len(text) {
		m.tag()
	}
	if len(m.items) == 0 {
		return outline{}, false
	}
	found := outline{kind: "XML", items: m.items}
	if m.html {
		found.kind = "HTML"
		return found, true
	}
	for i := range m.items {
		if n := m.counts[i]; n > 1 {
			found.items[i].text += fmt.Sprintf(" ×%d", n)
		}
	}
	return found, true
}

func isHTML(text string) bool {
	head := strings.ToLower(text[:min(len(text), 2000)])
	return strings.Contains(head, "<html") || strings.Contains(head, "<!doctype html") || strings.Contains(head, "<body") || strings.Contains(head, "<h1") || strings.Contains(head, "<div") ||
		!strings.Contains(head, "<?xml") && (strings.Contains(head, "<head") || strings.Contains(head, "<p>") || strings.Contains(head, "<style") || strings.Contains(head, "<template"))
}

type pathKey struct {
	parent int
	name   string
}

type markup struct {
	in     string
	at     int
	line   int
	html   bool
	items  []item
	counts []int // of each path of XML
	paths  map[pathKey]int
	open   []openTag
}

type openTag struct {
	name string
	path int
}

func (m *markup) advance(to int) {
	m.line += strings.Count(m.in[m.at:to], "\n")
	m.at = to
}

// tag reads the text up to the next tag, and the tag.
func (m *markup) tag() {
	m.advance(m.at + excerpt.Until(m.in[m.at:], "<"))
	rest := m.in[m.at:]
	switch {
	case len(rest) < 2:
		m.advance(len(m.in))
		return
	case strings.HasPrefix(rest, "<!--"):
		m.advance(m.at + min(len(rest), 4+excerpt.Until(rest[4:], "-->")+3))
		return
	case strings.HasPrefix(rest, "<![CDATA["):
		m.advance(m.at + min(len(rest), excerpt.Until(rest, "]]>")+3))
		return
	case rest[1] == '!' || rest[1] == '?':
		m.advance(m.at + min(len(rest), excerpt.Until(rest, ">")+1))
		return
	}
	closes := rest[1] == '/'
	from := 1
	if closes {
		from = 2
	}
	name := tagName(rest[from:])
	if name == "" {
		m.at++
		return
	}
	end := tagEnd(rest)
	line := m.line
	attributes := rest[from+len(name) : max(from+len(name), end-1)]
	m.advance(m.at + end)
	switch {
	case m.html:
		m.element(strings.ToLower(name), attributes, line, closes)
	case closes:
		m.closeTag(name)
	default:
		m.path(name, attributes, line)
	}
}

func tagName(text string) string {
	i := 0
	for i < len(text) && (excerpt.IsWord(text[i]) || i > 0 && strings.IndexByte(":-.", text[i]) >= 0) {
		i++
	}
	return text[:i]
}

// tagEnd is the length of a tag; a > in quotes is part of it.
func tagEnd(text string) int {
	var quote byte
	for i := range min(len(text), 1<<16) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return min(len(text), excerpt.Until(text, ">")+1)
}

// element notes what gives a page its structure.
func (m *markup) element(name, attributes string, line int, closes bool) {
	if closes {
		return
	}
	switch name {
	case "script", "style":
		m.advance(m.at + indexFold(m.in[m.at:], "</"+name))
		m.items = append(m.items, item{line: int32(line), rank: 9, text: "<" + name + strings.TrimRight(" "+excerpt.Clean(attributes, 80), " ") + ">"})
		return
	case "title", "h1", "h2", "h3", "h4", "h5", "h6":
		body := excerpt.Head(m.in[m.at:], 200)
		body = body[:indexFold(body, "</"+name)]
		rank := int16(0)
		if name != "title" {
			rank = int16(name[1] - '1')
		}
		m.items = append(m.items, item{line: int32(line), rank: rank, text: name + " " + untagged(body)})
		return
	case "main", "nav", "section", "article", "form", "table", "header", "footer", "aside", "template":
		m.items = append(m.items, item{line: int32(line), rank: 7, text: "<" + name + strings.TrimRight(" "+excerpt.Clean(attribute(attributes, "id"), 60), " ") + ">"})
		return
	}
	if id := attribute(attributes, "id"); id != "" {
		m.items = append(m.items, item{line: int32(line), rank: 8, text: "<" + name + " " + excerpt.Clean(id, 60) + ">"})
	}
}

// attribute is name="value" as it is written, or "".
func attribute(attributes, name string) string {
	i := strings.Index(" "+attributes, " "+name+"=")
	if i < 0 {
		return ""
	}
	rest := attributes[i:]
	if len(rest) > len(name)+1 && (rest[len(name)+1] == '"' || rest[len(name)+1] == '\'') {
		from := len(name) + 2
		return rest[:min(len(rest), from+excerpt.Until(rest[from:], rest[from-1:from])+1)]
	}
	return rest[:excerpt.Until(rest, " ")]
}

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&nbsp;", " ", "&#39;", "'")

// untagged is a text without its tags.
func untagged(text string) string {
	var b strings.Builder
	for text != "" {
		i := excerpt.Until(text, "<")
		b.WriteString(text[:i])
		text = text[i:]
		text = text[min(len(text), excerpt.Until(text, ">")+1):]
	}
	return entities.Replace(b.String())
}

// indexFold is indexOr without regard to case in ASCII.
func indexFold(text, part string) int {
	for i := 0; ; {
		j := strings.IndexByte(text[i:], part[0])
		if j < 0 || i+j+len(part) > len(text) {
			return len(text)
		}
		i += j
		if strings.EqualFold(text[i:i+len(part)], part) {
			return i
		}
		i++
	}
}

// path counts an element of XML at its place.
func (m *markup) path(name, attributes string, line int) {
	parent := -1
	if len(m.open) > 0 {
		parent = m.open[len(m.open)-1].path
	}
	key := pathKey{parent, name}
	at, known := m.paths[key]
	if !known && len(m.items) < 4000 {
		at = len(m.items)
		m.paths[key] = at
		depth := int16(min(len(m.open), lastRank))
		m.items = append(m.items, item{line: int32(line), rank: depth, indent: depth, text: "<" + name + strings.TrimRight(" "+excerpt.Clean(strings.TrimSuffix(attributes, "/"), 80), " ") + ">", brief: int32(len(name) + 1)})
		m.counts = append(m.counts, 0)
	} else if !known {
		at = 0
	}
	m.counts[at]++
	if !strings.HasSuffix(attributes, "/") && len(m.open) < 256 {
		m.open = append(m.open, openTag{name, at})
	}
}

func (m *markup) closeTag(name string) {
	for i := len(m.open) - 1; i >= 0 && i >= len(m.open)-8; i-- {
		if m.open[i].name == name {
			m.open = m.open[:i]
			return
		}
	}
}
