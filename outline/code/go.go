package code

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// goPackage says which package a Go file is of, and what it says about it.
func (c *coder) goPackage() string {
	docs := -1
	for l := range excerpt.Lines(c.code) {
		if l.Blank() {
			if strings.TrimSpace(c.in[l.At:l.At+len(l.Text)]) == "" {
				docs = -1
			} else if docs < 0 {
				docs = l.At
			}
			continue
		}
		if !strings.HasPrefix(l.Text, "package ") {
			return ""
		}
		name := "package " + excerpt.Word(l.Text, skipBlanks(l.Text, len("package")))
		if docs >= 0 {
			if s := excerpt.FirstSentence(c.in[docs:l.At], 140); s != "" {
				return name + " — " + s
			}
		}
		return name
	}
	return ""
}

// goLines reads the declarations at the top of a Go file. Exported ones outrank
// the others, and those of a group of constants or variables come last.
func (c *coder) goLines() {
	depth := 0
	group := "" // the word of the group that the line is in
	ends := true
	c.codeLines(func(l excerpt.Line) {
		at := l.At + skipBlanks(l.Text, 0)
		for i := at; i < l.At+len(l.Text); i++ {
			if ends && c.code[i] != ' ' && c.code[i] != '\t' {
				switch {
				case depth == 0:
					group = c.goTop(i)
				case depth == 1 && group != "" && c.code[i] != ')':
					c.goSpec(group, i)
				}
				ends = false
			}
			switch c.code[i] {
			case '(', '{', '[':
				depth++
				ends = depth == 1 && group != "" && c.code[i] == '('
			case ')', '}', ']':
				depth--
			case ';':
				ends = true
			}
		}
		ends = endsStatement(l.Text)
	})
}

// endsStatement says whether Go's scanner puts a semicolon at the line's end.
func endsStatement(code string) bool {
	code = strings.TrimRight(code, " \t\r")
	c := code[len(code)-1]
	if c == '.' && len(code) > 1 && code[len(code)-2] >= '0' && code[len(code)-2] <= '9' {
		return true // a number
	}
	return excerpt.IsWord(c) && !keepsGoing(code) || strings.IndexByte(")]}(;{", c) >= 0 || c == inString || c == StringFeed ||
		strings.HasSuffix(code, "++") || strings.HasSuffix(code, "--")
}

// keepsGoing says whether a line ends in a word after which none ends.
func keepsGoing(code string) bool {
	switch code[strings.LastIndexAny(code, " \t;")+1:] {
	case "func", "type", "var", "const":
		return true
	}
	return false
}

// goTop reads what begins at the top, and returns the word of the group that it opens.
func (c *coder) goTop(at int) string {
	key := excerpt.Word(c.code, at)
	next := skipSpace(c.code, at+len(key))
	typeName := ""
	switch key {
	case "func":
		if c.peek(next) == '(' {
			end := skipGroup(c.code, next)
			typeName = receiver(c.code[next:end])
			next = skipBlanks(c.code, end)
		}
	case "type", "const", "var":
		if c.peek(next) == '(' {
			return key
		}
	default:
		return ""
	}
	id := excerpt.Word(c.code, next)
	if id == "_" && key != "func" {
		return ""
	}
	rank := 1
	if exported(id) && (typeName == "" || exported(typeName)) {
		rank = 0
	}
	c.add(at, c.signature(next), next+len(id)-at, rank, 0)
	return ""
}

// goSpec reads one declaration of a group.
func (c *coder) goSpec(group string, at int) {
	id := excerpt.Word(c.code, at)
	if id == "" || id == "_" {
		return
	}
	rank := 2
	switch {
	case group == "type" && exported(id):
		rank = 0
	case group == "type":
		rank = 1
	case !exported(id):
		rank = 3
	}
	end := c.signature(at)
	c.add(at, end, len(id), rank, 0)
	it := &c.defs[len(c.defs)-1]
	if it.Brief == 0 {
		it.Brief = len(it.Text)
	}
	it.Text = group + " " + it.Text
	it.Brief += len(group) + 1
}

func receiver(group string) string {
	group = strings.Trim(group, "() ")
	if i := strings.LastIndexAny(group[:excerpt.Until(group, "[")], " *"); i >= 0 {
		group = group[i+1:]
	}
	return excerpt.Word(group, 0)
}

func exported(id string) bool {
	r, _ := utf8.DecodeRuneInString(id)
	return unicode.IsUpper(r)
}
