package search

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/markdown"
)

const (
	maxLines   = 12       // of a passage of a file that is not Markdown
	maxPassage = 64 << 10 // bytes; a longer passage is cut in several
)

// A passage is a part of a text.
type passage struct {
	start, end int
	line       int // the number of its first line, from 1
	headEnd    int // where its heading ends; the heading begins at head
	head       int // where the heading is under which it stands; before start in all but the first part of a section
}

// A splitter cuts a text into passages.
type splitter struct {
	text     []byte
	markdown bool
	whole    bool // an entry of a log: one passage

	reader     markdown.Reader
	from, read int  // the line that the reader has read last
	isHead     bool // it is a heading
	at, line   int  // where the next line begins, and its number
	head, hEnd int  // of the present section
	some       bool // a passage was returned
}

func newSplitter(t *Text) splitter {
	s := splitter{text: t.Content, line: 1, whole: t.Entry > 0}
	switch strings.ToLower(path.Ext(t.Path)) {
	case ".md", ".markdown", ".mdx":
		s.markdown = !s.whole
	}
	return s
}

// next returns the next passage. Every text has one at least.
func (s *splitter) next() (p passage, ok bool) {
	p = passage{start: s.at, line: s.line, head: s.head, headEnd: s.hEnd}
	lines, begun := 0, false
	for s.at < len(s.text) {
		size := lineSize(s.text[s.at:])
		line := s.text[s.at : s.at+size]
		blank := isBlank(line)
		head := 0
		if s.markdown {
			head = s.heading()
		}
		switch {
		case s.at+size-p.start > maxPassage && s.at > p.start:
			return s.end(p, s.at)
		case size > maxPassage:
			s.at += cutAt(line)
			return s.end(p, s.at)
		case s.whole:
		case head > 0:
			if begun {
				return s.end(p, s.at)
			}
			s.head, s.hEnd = s.at, s.at+head
			p.head, p.headEnd = s.head, s.hEnd
			s.line += bytes.Count(s.text[s.at:s.hEnd], []byte("\n"))
			s.at = s.hEnd
			begun = true
			continue
		case s.markdown:
		case blank && begun, lines == maxLines:
			return s.end(p, s.at)
		case blank:
			p.start, p.line = s.at+size, s.line+1
		}
		begun = begun || !blank
		lines++
		if !begun && !s.markdown {
			lines = 0
		}
		s.at += size
		s.line++
	}
	if p.start == len(s.text) && s.some {
		return p, false
	}
	return s.end(p, len(s.text))
}

// end returns the passage that ends at a byte, where the next one begins.
func (s *splitter) end(p passage, at int) (passage, bool) {
	p.end, s.at, s.some = at, at, true
	return p, true
}

// heading returns the bytes of the heading that begins at s.at; 0: none does.
func (s *splitter) heading() int {
	if s.at >= s.read {
		l := s.reader.Next(s.text[s.at:])
		s.isHead = l.Kind == markdown.Heading && l.Size <= maxPassage
		s.from, s.read = s.at, s.at+l.Size
	}
	if s.isHead && s.at == s.from {
		return s.read - s.from
	}
	return 0
}

// firstHeading returns where the first heading of a text begins and ends, if that is not far from
// the beginning; twice the same: there is none.
func firstHeading(t *Text) (start, end int) {
	s := newSplitter(t)
	for p, ok := s.next(); ok && p.start < maxPassage; p, ok = s.next() {
		if p.headEnd > p.head {
			return p.head, p.headEnd
		}
	}
	return 0, 0
}

// lineSize returns the bytes of the first line, with its line feed.
func lineSize(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// cutAt returns where to cut a line that is too long for a passage: after a space near
// the end, if there is one, and never within a character.
func cutAt(line []byte) int {
	const near = 1 << 10
	if i := bytes.LastIndexByte(line[maxPassage-near:maxPassage], ' '); i >= 0 {
		return maxPassage - near + i + 1
	}
	at := maxPassage
	for at > maxPassage-utf8.UTFMax && !utf8.RuneStart(line[at]) {
		at--
	}
	return at
}
