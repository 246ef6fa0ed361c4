package code

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A coder reads the definitions of one program. It is no parser: it looks at the
// lines that can begin a definition, outside of strings, comments and bodies.
type coder struct {
	*Language
	in    string // as it is
	code  string // the same, blanked
	defs  []Definition
	n     int // the line
	at    int // where it begins
	docs  int // where the comment above it begins, or -1
	ended int // and where it ends

	marked int // parentheses open in the annotation that the line is of
}

// Outline returns the first sentence of what the program says about itself, or "",
// and its definitions in the order of their lines.
func (l *Language) Outline(text string) (about string, defs []Definition) {
	if l.sql {
		return "", scanSQL(text)
	}
	c := coder{Language: l, in: text, code: blank(text, l.syntax), docs: -1, defs: make([]Definition, 0, 8+len(text)/128)}
	switch {
	case l.Name == "Go":
		c.goLines()
	case l.indents:
		c.indented()
	default:
		c.braced()
	}
	if about = c.about(); about != "" && l.Name != "Go" {
		about = "about: " + about
	}
	return about, c.defs
}

// about is the first sentence of what the program says about itself.
func (c *coder) about() string {
	if c.Name == "Go" {
		return c.goPackage()
	}
	top := excerpt.Head(c.in, 4000)
	code := c.code[:len(top)]
	first := ""
	for from := 0; from < len(top); {
		if n := directive(top[from:]); n > 0 {
			from += n
			continue
		}
		end := from + min(excerpt.Until(top[from:], "\n\n"), excerpt.Until(top[from:], "\n\r\n"))
		part := top[from:end]
		if c.Name == "Python" {
			if doc := docstringOf(part); doc != "" {
				return excerpt.FirstSentence(doc, 140)
			}
		}
		if i := strings.IndexFunc(code[from:end], func(r rune) bool { return r > ' ' }); i >= 0 {
			break // code, and no comment
		}
		if part = strings.TrimLeft(part, "\r\n"); c.pages[0] != "" && strings.HasPrefix(part, "=") {
			part = part[excerpt.Until(part, "\n"):]
		}
		if s := excerpt.FirstSentence(strings.TrimPrefix(part, "#!"), 140); s != "" && first == "" && !licence(part) && !strings.HasPrefix(part, "#!") && strings.TrimSpace(part) != "" {
			if first = s; c.Name != "Python" {
				break
			}
		}
		from = end + 2
	}
	return first
}

// directive returns how long the line is that the text begins with, if it tells
// the machine something, and not who reads it; or 0.
func directive(text string) int {
	end := min(len(text), excerpt.Until(text, "\n")+1)
	bare := strings.TrimSpace(text[:end])
	rest := strings.TrimLeft(bare, `# '"`)
	if rest == bare {
		return 0
	}
	for _, word := range [...]string{"use strict", "use client", "use server", "frozen_string_literal:", "encoding:", "coding:", "warn_indent:", "typed:", "rubocop:"} {
		if strings.HasPrefix(rest, word) && (word[:3] != "use" || bare[0] != '#') {
			return end
		}
	}
	return 0
}

// docstringOf is the text of Python that begins after comments, or "".
func docstringOf(part string) string {
	for l := range excerpt.Lines(part) {
		bare := strings.TrimLeft(l.Text, "ruRU")
		switch {
		case strings.HasPrefix(bare, `"""`) || strings.HasPrefix(bare, `'''`):
			doc := bare[:3]
			bare = part[l.At+len(l.Text)-len(bare):]
			return bare[:3+excerpt.Until(bare[3:], doc)]
		case !l.Blank() && !strings.HasPrefix(bare, "#"):
			return ""
		}
	}
	return ""
}

func licence(text string) bool {
	for _, word := range [...]string{"Copyright", "copyright", "License", "licence", "SPDX", "(c)", "eslint", "@ts-", "-*-", "Code generated", "nolint", "+build"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// add notes a definition that begins on this line and goes on to at most end.
func (c *coder) add(from, end, brief, rank, indent int) {
	it := Definition{Line: c.n, Rank: rank, Indent: min(indent, deepest), Text: strings.TrimRight(excerpt.Head(c.in[from:], end-from), " \t\r\n{=,;:("), Brief: brief}
	if it.Brief >= len(it.Text) {
		it.Brief = 0
	}
	if c.docs >= 0 && !licence(c.in[c.docs:min(c.ended, c.docs+400)]) {
		it.Doc = c.in[c.docs:c.ended]
		if c.verbatim {
			it.Doc = summaryOf(it.Doc)
		}
	}
	c.defs = append(c.defs, it)
}

// summaryOf is the text of the tag that holds it, if there is one.
func summaryOf(comment string) string {
	if _, after, ok := strings.Cut(comment, "<summary>"); ok {
		return after[:excerpt.Until(after, "</summary>")]
	}
	return comment
}

// comments keeps where the comment above a line begins. It returns whether the
// line has code.
func (c *coder) comments(l excerpt.Line) bool {
	if !l.Blank() {
		return true
	}
	if strings.TrimSpace(c.in[l.At:l.At+len(l.Text)]) == "" {
		c.docs = -1
		return false
	}
	if c.pages[0] != "" && c.in[l.At] == '=' {
		c.page(l)
		return false
	}
	if c.docs < 0 && !strings.HasPrefix(c.in[l.At:], "#!") {
		c.docs = l.At
	}
	c.ended = l.At + len(l.Text)
	return false
}

// codeLines calls read with each line that has code, strings over lines as one.
func (c *coder) codeLines(read func(excerpt.Line)) {
	n := 1
	for l := range excerpt.Lines(c.code) {
		c.n, c.at = n, l.At
		n += 1 + strings.Count(l.Text, string(rune(StringFeed)))
		if c.comments(l) {
			read(l)
			if c.docs >= 0 && !c.mark(l) {
				c.docs, c.marked = -1, 0
			}
		}
	}
}

// mark says whether a line is of an annotation or attribute, which may stand
// between a comment and what it is on.
func (c *coder) mark(l excerpt.Line) bool {
	at := skipBlanks(l.Text, 0)
	t := l.Text[at:]
	if c.marked == 0 && t[0] != '@' && !strings.HasPrefix(t, "#[") && (t[0] != '[' || !c.verbatim) {
		return false
	}
	c.marked += strings.Count(t, "(") + strings.Count(t, "[") - strings.Count(t, ")") - strings.Count(t, "]")
	c.marked = max(0, c.marked)
	return true
}

// signature returns where what begins at from ends: before its body, or with its line.
func (c *coder) signature(from int) int {
	parens := 0
	most := min(len(c.code), from+400)
	for i := from; i < most; i++ {
		switch c.code[i] {
		case '(', '[':
			parens++
		case ')', ']':
			parens--
		case '{':
			if parens <= 0 && !emptyType(c.code[:i+1]) {
				return i
			}
		case ';', '\n', StringFeed:
			if parens <= 0 {
				return i
			}
		}
	}
	return most
}

// emptyType says whether a brace is that of interface{} or struct{}.
func emptyType(code string) bool {
	return strings.HasSuffix(code, "interface{") || strings.HasSuffix(code, "struct{")
}

// peek is a byte of the code; 0 beyond its end.
func (c *coder) peek(i int) byte {
	if i < 0 || i >= len(c.code) {
		return 0
	}
	return c.code[i]
}

func skipBlanks(code string, i int) int {
	for i < len(code) && (code[i] == ' ' || code[i] == '\t') {
		i++
	}
	return i
}

// skipGroup returns where the brackets that open at i close on this line, or i.
func skipGroup(code string, i int) int {
	depth := 0
	for j := i; j < min(len(code), i+400); j++ {
		switch code[j] {
		case '(', '[', '<', '{':
			depth++
		case ')', ']', '>', '}':
			if depth--; depth == 0 {
				return j + 1
			}
		case '\n':
			return i
		}
	}
	return i
}
