package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// An htmlEnd says where a block of HTML ends.
type htmlEnd string

const (
	noHTML    htmlEnd = ""
	endsBlank htmlEnd = "\n" // at a blank line
	endsRaw   htmlEnd = "</" // at the end tag of an element whose text is not Markdown
)

// ends reports whether a block ends with a line.
func (e htmlEnd) ends(line []byte) bool {
	switch e {
	case endsBlank:
		return isAllBlank(line)
	case endsRaw:
		lower := bytes.ToLower(line)
		return slices.ContainsFunc(rawElements, func(name string) bool {
			return bytes.Contains(lower, []byte("</"+name+">"))
		})
	}
	return bytes.Contains(line, []byte(e))
}

// rawElements have text that is not Markdown.
var rawElements = []string{"pre", "script", "style", "textarea"}

// blockElements are those of CommonMark that interrupt a paragraph.
var blockElements = strings.Fields(`address article aside base basefont blockquote body caption center col colgroup dd
	details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr
	html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table
	tbody td tfoot th thead title tr track ul`)

// htmlOf returns where the block of HTML ends that a line begins; continues: the line may be
// of a paragraph.
func htmlOf(line []byte, continues bool) htmlEnd {
	if len(line) < 2 || line[0] != '<' {
		return noHTML
	}
	switch c := line[1]; {
	case bytes.HasPrefix(line, []byte("<!--")):
		return "-->"
	case c == '?':
		return "?>"
	case bytes.HasPrefix(line, []byte("<![CDATA[")):
		return "]]>"
	case c == '!':
		if len(line) > 2 && isLetter(line[2]) {
			return ">"
		}
		return noHTML
	}
	name := bytes.TrimPrefix(line[1:], []byte("/"))
	isEnd := len(name) < len(line)-1
	size := 0
	for size < len(name) && (isLetter(name[size]) || size > 0 &&
		(name[size] >= '0' && name[size] <= '9' || name[size] == '-')) {
		size++
	}
	if size == 0 {
		return noHTML
	}
	after := name[size:]
	tag := strings.ToLower(string(name[:min(size, 16)]))
	stops := len(after) == 0 || after[0] == ' ' || after[0] == '\t' || after[0] == '>'
	switch {
	case slices.Contains(rawElements, tag):
		if stops && !isEnd {
			return endsRaw
		}
	case (stops || bytes.HasPrefix(after, []byte("/>"))) && slices.Contains(blockElements, tag):
		return endsBlank
	case !continues && isWholeTag(after, isEnd):
		return endsBlank
	}
	return noHTML
}

// isWholeTag reports whether a line has the rest of a tag after the name, and nothing else.
func isWholeTag(after []byte, isEnd bool) bool {
	end := bytes.IndexByte(after, '>')
	if end < 0 || !isAllBlank(after[end+1:]) {
		return false
	}
	inside := bytes.TrimSuffix(after[:end], []byte("/"))
	if isEnd {
		return isAllBlank(after[:end])
	}
	return len(inside) == 0 || (inside[0] == ' ' || inside[0] == '\t') && bytes.IndexByte(inside, '<') < 0
}
