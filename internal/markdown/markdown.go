// Package markdown says of each line of a Markdown text what it is: a heading, code, front
// matter or text. It follows CommonMark where that decides whether a line is a heading, also
// in list items and quotations. It reads no inline marks, and it does not render.
package markdown

import (
	"bytes"
	"slices"
)

// A Kind says what a line is.
type Kind int8

const (
	Text    Kind = iota // of a paragraph, a list, a table, or of HTML that has text
	Blank               // has only white space
	Heading             // a heading, outside of quotations
	// Hidden is a line of a block of code with its fences, or of a comment, <pre>, <script>,
	// <style> or <textarea>.
	Hidden
	Meta // of the front matter in YAML or TOML, with the lines around it
)

// A Line is what a [Reader] says of a line.
type Line struct {
	Kind  Kind
	Level int // of a heading, from 1 to 6
	Size  int // bytes with the line end; a heading that is underlined has two lines
}

// A Reader reads a text line by line. The zero value is at the beginning of a text. It
// allocates nothing but the list of the items that are open.
//
// A paragraph of several lines that is underlined is text, and not a heading.
type Reader struct {
	begun bool
	meta  int     // bytes of the front matter that are left
	boxes []box   // the list items and quotations that are open, the outer ones first
	leaf  leaf    // what is open within them
	fence byte    // of a fenced block
	width int     // of its fence
	html  htmlEnd // of HTML
}

// A box is a list item, or a quotation.
type box struct {
	indent int  // columns before the content of an item; 0: a quotation
	empty  bool // the item has had no content yet
}

// A leaf is what a line may go on with.
type leaf int8

const (
	noLeaf leaf = iota
	paragraph
	fenced
	html
)

// Next reads the line that a text begins with, which goes on to the end of the whole text.
// The next call is for the text after Line.Size bytes.
func (r *Reader) Next(text []byte) Line {
	size := lineSize(text)
	if !r.begun {
		r.begun = true
		body := bytes.TrimPrefix(text, []byte("\uFEFF")) // byte order mark
		r.meta = frontMatter(body)
		if len(body) < len(text) {
			l := r.Next(body)
			l.Size += len(text) - len(body)
			return l
		}
	}
	if r.meta > 0 {
		r.meta -= size
		return Line{Kind: Meta, Size: size}
	}
	if len(r.boxes) == 0 && r.leaf <= paragraph && size > 0 && isLetter(text[0]) { // the most common line
		return r.text(text, size)
	}
	c := cursor{line: withoutEnd(text[:size])}
	matched := r.match(&c)
	if r.leaf >= fenced {
		if matched == len(r.boxes) {
			return Line{Kind: r.inLeaf(&c), Size: size}
		}
		r.leaf = noLeaf
	}
	opened := false
	for r.open(&c, &matched, opened) {
		opened = true
	}
	if c.isBlank() {
		r.close(matched)
		r.leaf = noLeaf
		if opened {
			r.boxes[matched-1].empty = r.boxes[matched-1].indent > 0
			return Line{Kind: Text, Size: size}
		}
		return Line{Kind: Blank, Size: size}
	}
	return r.content(&c, matched, opened, text, size)
}

// match goes past the marks of the boxes that the line is in, and returns how many those are.
func (r *Reader) match(c *cursor) (n int) {
	for i := range r.boxes {
		b := &r.boxes[i]
		switch indent := c.indent(); {
		case b.indent == 0:
			if indent > 3 || c.first() != '>' {
				return i
			}
			c.quote(indent)
		case c.isBlank():
			if b.empty {
				return i
			}
		case indent < b.indent:
			return i
		default:
			c.skip(b.indent)
			b.empty = false
		}
	}
	return len(r.boxes)
}

// close closes the boxes from one on.
func (r *Reader) close(from int) {
	if from < len(r.boxes) {
		r.boxes, r.leaf = r.boxes[:from], noLeaf
	}
}

// open opens the box that begins at the cursor. It reports whether one does.
func (r *Reader) open(c *cursor, matched *int, opened bool) bool {
	indent := c.indent()
	if indent > 3 {
		return false
	}
	var b box
	continues := r.leaf == paragraph && !opened && *matched == len(r.boxes)
	switch first := c.first(); {
	case first == '>':
		c.quote(indent)
	case continues && isUnderline(c.rest()) > 0 || isRule(c.rest()):
		return false
	default:
		width := itemMark(c.rest())
		if width == 0 {
			return false
		}
		if continues && (isAllBlank(c.rest()[width:]) || first >= '0' && first <= '9' &&
			string(c.rest()[:width-1]) != "1") {
			return false // it does not interrupt a paragraph
		}
		b.indent = c.item(indent, width)
	}
	r.close(*matched)
	r.boxes, r.leaf = append(r.boxes, b), noLeaf
	*matched++
	return true
}

// inLeaf reads a line of the block that is open.
func (r *Reader) inLeaf(c *cursor) Kind {
	if r.leaf == fenced {
		if rest := c.rest(); c.indent() < 4 && len(rest) > 0 && rest[0] == r.fence {
			if mark := runOf(rest); mark >= r.width && isAllBlank(rest[mark:]) {
				r.leaf = noLeaf
			}
		}
		return Hidden
	}
	if r.html.ends(c.rest()) {
		r.leaf = noLeaf
	}
	switch {
	case r.html != endsBlank:
		return Hidden
	case c.isBlank():
		return Blank
	}
	return Text
}

// content reads the rest of a line that has some, after the marks of its boxes.
func (r *Reader) content(c *cursor, matched int, opened bool, text []byte, size int) Line {
	rest, line := c.rest(), Line{Size: size}
	continues := r.leaf == paragraph && !opened // perhaps as a lazy line, without the marks
	if c.indent() > 3 {
		if !continues {
			r.close(matched)
			r.leaf = noLeaf
		}
		return line
	}
	level, mark := headingLevel(rest), fenceOf(rest)
	end := htmlOf(rest, continues)
	switch {
	case level > 0:
		r.close(matched)
		r.leaf = noLeaf
		if !opened && !r.quoted() {
			line.Kind, line.Level = Heading, level
		}
	case mark > 0:
		r.close(matched)
		r.leaf, r.fence, r.width = fenced, rest[0], mark
		line.Kind = Hidden
	case end != noHTML:
		r.close(matched)
		if end != endsBlank {
			line.Kind = Hidden
		}
		if r.leaf, r.html = html, end; end.ends(rest) {
			r.leaf = noLeaf
		}
	case continues && matched == len(r.boxes) && isUnderline(rest) > 0, isRule(rest):
		r.close(matched)
		r.leaf = noLeaf
	case continues:
	default:
		r.close(matched)
		return r.text(text, size)
	}
	return line
}

// text reads a line of a paragraph.
func (r *Reader) text(text []byte, size int) Line {
	if r.leaf == paragraph || len(r.boxes) > 0 {
		r.leaf = paragraph
		return Line{Size: size}
	}
	if next := text[size:]; len(next) > 0 && (next[0] == '=' || next[0] == '-' || next[0] == ' ') {
		under := lineSize(next)
		c := cursor{line: withoutEnd(next[:under])}
		if c.indent() < 4 {
			if level := isUnderline(c.rest()); level > 0 {
				return Line{Kind: Heading, Level: level, Size: size + under}
			}
		}
	}
	r.leaf = paragraph
	return Line{Size: size}
}

func (r *Reader) quoted() bool {
	return slices.ContainsFunc(r.boxes, func(b box) bool { return b.indent == 0 })
}
