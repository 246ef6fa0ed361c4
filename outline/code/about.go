package code

import (
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

const longestSentence = 140 // characters of what a program says about itself

// instruction is a line that tells a machine something, and not who reads it.
var instruction = regexp.MustCompile(`^\s*(?:#.*(?:frozen_string_literal|coding|warn_indent|typed|rubocop)[:=]|#!|=\w)`)

// introduction returns the first sentence of the comment that a program begins with.
func (r *reader) introduction() string {
	code := excerpt.Head(r.code, longestDoc)
	if i := strings.IndexFunc(code, func(c rune) bool { return c == inString || c > ' ' }); r.docstrings && i >= 0 {
		if s := sentence(docstring(r.in[i:min(len(r.in), i+longestDoc)])); s != "" {
			return s
		}
	}
	comment := ""
	top := excerpt.Head(r.in, longestDoc)
	for l := range excerpt.Lines(top) {
		code := strings.TrimSpace(r.code[l.At : l.At+len(l.Text)])
		switch {
		case strings.Trim(code, "\x01;") != "":
			return "" // the comment is on the code
		case l.Blank():
			if s := sentence(comment); s != "" {
				return s
			}
			comment = ""
		case code == "" && !instruction.MatchString(l.Text):
			comment += l.Text + "\n"
		}
	}
	return sentence(comment)
}

func sentence(comment string) string {
	if licence(comment) {
		return ""
	}
	return excerpt.FirstSentence(comment, longestSentence)
}

// docstring returns the string in triple quotes that a text begins with, or "".
func docstring(text string) string {
	text = strings.TrimLeft(text, "ruRU")
	if !strings.HasPrefix(text, `"""`) && !strings.HasPrefix(text, "'''") {
		return ""
	}
	return text[:3+excerpt.Until(text[3:], text[:3])]
}

// licence says whether a comment is on who owns the text or on how tools treat it.
func licence(text string) bool {
	for _, word := range [...]string{"Copyright", "copyright", "License", "licence", "SPDX", "(c)", "eslint", "@ts-", "-*-", "Code generated", "nolint", "+build"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
