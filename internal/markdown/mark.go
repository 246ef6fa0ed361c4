package markdown

import "bytes"

// A cursor reads a line by columns, because a tab may be in two boxes.
type cursor struct {
	line []byte
	at   int
	col  int
	left int // columns of the tab before at that are not read yet
}

// rest returns the rest of the line from the first character that is no white space.
func (c *cursor) rest() []byte { return withoutIndent(c.line[c.at:]) }

// first returns the first byte of rest, 0 if there is none.
func (c *cursor) first() byte {
	if rest := c.rest(); len(rest) > 0 {
		return rest[0]
	}
	return 0
}

func (c *cursor) isBlank() bool { return len(c.rest()) == 0 }

// indent returns the columns of white space at the cursor.
func (c *cursor) indent() int {
	col := c.col + c.left
	for _, b := range c.line[c.at:] {
		if b != ' ' && b != '\t' {
			break
		}
		col += columns(b, col)
	}
	return col - c.col
}

// columns returns how wide a byte is. A tab ends at a multiple of four.
func columns(b byte, col int) int {
	if b == '\t' {
		return 4 - col%4
	}
	return 1
}

// skip goes on by some columns, at most to the end of the line.
func (c *cursor) skip(n int) {
	for n > 0 {
		if c.left == 0 {
			if c.at == len(c.line) {
				return
			}
			c.left = columns(c.line[c.at], c.col)
			c.at++
		}
		step := min(n, c.left)
		c.left, c.col, n = c.left-step, c.col+step, n-step
	}
}

// quote goes past the mark of a quotation, and one column of white space after it.
func (c *cursor) quote(indent int) {
	c.skip(indent + 1)
	if c.indent() > 0 {
		c.skip(1)
	}
}

// item goes past the mark of a list item, and returns the columns before its content.
func (c *cursor) item(indent, width int) int {
	c.skip(indent + width)
	gap := c.indent()
	if gap > 4 || c.isBlank() {
		gap = 1 // the rest is of indented code, or there is none
	}
	c.skip(gap)
	return indent + width + gap
}

// itemMark returns the width of the mark of a list item that a text begins with, or 0.
func itemMark(text []byte) int {
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	marks := ".)"
	if digits == 0 {
		marks = "-*+"
	}
	n := digits + 1
	if digits > 9 || len(text) < n || bytes.IndexByte([]byte(marks), text[digits]) < 0 || len(text) > n &&
		text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// headingLevel returns the level of a heading with number signs, or 0.
func headingLevel(text []byte) int {
	if text[0] != '#' {
		return 0
	}
	n := runOf(text)
	if n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// fenceOf returns the width of the fence that opens a block of code, or 0.
func fenceOf(text []byte) int {
	if text[0] != '`' && text[0] != '~' {
		return 0
	}
	n := runOf(text)
	if n < 3 || text[0] == '`' && bytes.IndexByte(text[n:], '`') >= 0 {
		return 0 // code within a line
	}
	return n
}

// isUnderline returns the level of the heading that a line underlines, or 0.
func isUnderline(text []byte) int {
	if len(text) == 0 || text[0] != '=' && text[0] != '-' || !isAllBlank(text[runOf(text):]) {
		return 0
	}
	if text[0] == '=' {
		return 1
	}
	return 2
}

// isRule reports whether a line is a thematic break.
func isRule(text []byte) bool {
	if len(text) == 0 || text[0] != '-' && text[0] != '*' && text[0] != '_' {
		return false
	}
	marks := 0
	for _, b := range text {
		switch b {
		case text[0]:
			marks++
		case ' ', '\t':
		default:
			return false
		}
	}
	return marks >= 3
}

// runOf returns how many times the first byte stands at the beginning.
func runOf(text []byte) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

func isAllBlank(text []byte) bool { return len(withoutIndent(text)) == 0 }

// withoutIndent is bytes.TrimLeft for white space, several times as fast.
func withoutIndent(text []byte) []byte {
	for i, b := range text {
		if b != ' ' && b != '\t' {
			return text[i:]
		}
	}
	return nil
}

// withoutEnd returns a line without its line end.
func withoutEnd(line []byte) []byte {
	n := len(line)
	for n > 0 && (line[n-1] == '\n' || line[n-1] == '\r') {
		n--
	}
	return line[:n]
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// lineSize returns the bytes of the first line, with its line feed.
func lineSize(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// frontMatter returns the bytes of the front matter that a text begins with: keys of YAML
// between lines of three dashes, or of TOML between lines of three plus signs.
func frontMatter(text []byte) int {
	first := lineSize(text)
	mark := string(bytes.TrimRight(text[:first], " \t\r\n"))
	if mark != "---" && mark != "+++" {
		return 0
	}
	keys := false
	for at := first; at < len(text); {
		from := at
		at += lineSize(text[at:])
		line := bytes.TrimRight(text[from:at], " \t\r\n")
		switch {
		case string(line) == mark, mark == "---" && string(line) == "...":
			if keys {
				return at
			}
			return 0
		case len(line) == 0:
			if from == first {
				return 0 // a thematic break
			}
		case bytes.IndexByte([]byte("# \t-]}"), line[0]) >= 0:
		case mark == "+++":
			keys = keys || bytes.IndexByte(line, '=') > 0
		case bytes.IndexByte(line, ':') > 0:
			keys = true
		default:
			return 0
		}
	}
	return 0
}
