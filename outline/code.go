package outline

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// codeFiles are the ends of the names of files with code.
var codeFiles = strings.Fields(`asm awk bash bat c cc cfg cjs clj cmake conf cpp cs css cxx dart editorconfig el erl ex
	exs f90 fish fs gradle graphql groovy h hh hpp hs htm html hxx ini java jl js jsx kt kts less lisp lua m makefile
	mjs mk ml mm nim nix pas php pl pm plist properties proto ps1 py pyi r rb rs rss s sass scala scm
	scss sh sol sql svg swift tcl tf thrift toml ts tsx v vb vim vue xhtml xml xsd zig zsh`)

// controlWords begin lines that open a block and define nothing.
var controlWords = strings.Fields(`if else elif elsif elseif for foreach while until unless switch case when match try
	catch except finally with do begin loop then return end fi done esac import from using require include and or`)

// commentMark begins lines that are comments, in one language or another.
var commentMark = regexp.MustCompile(`^(?://|/\*|\* |--|;|# |#!|##|"|<!|<\?|%)`)

// codeKind is the kind of a program. A program of which nothing is listed is read as
// prose: it is a script, or minified.
func codeKind(name string, scan func(string) outline) kind {
	return kind{name, func(text string) (outline, bool) {
		found := scan(text)
		if found.kind = name; len(found.items) == 0 || len(found.items) < 12 && hasLongLine(text) {
			rest := scanProse(text)
			found.items, found.notes = append(found.items, rest.items...), append(found.notes, rest.notes...)
		}
		return found, true
	}}
}

// scanCode lists the lines at the left margin that open something: such a line begins
// with a name, and the next is further indented or begins with a brace, or the line is
// a section of settings. If they are fewer than three, the lines at the next margin
// are listed too, because everything may be in one class. No language is known, so a
// line may be of a comment.
func scanCode(text string) outline {
	var open []item
	margins := map[int16]int{} // how many lines are indented so far
	last, lastIndent := item{}, 0
	for l := range linesOf(text) {
		bare, indent := strings.TrimSpace(l.Text), l.indent()
		if bare == "" || commentMark.MatchString(bare) {
			continue
		}
		if last.text != "" && (indent > lastIndent || bare[0] == '{' || last.text[0] == '[') {
			open = append(open, last)
			margins[last.indent]++
		}
		last, lastIndent = item{line: int32(l.N), indent: int16(min(indent, 1000))}, indent
		if mayOpen(bare) {
			last.text = strings.TrimRight(headOf(bare, longestCode), " {(=:")
		}
	}
	sorted := append(slices.Sorted(maps.Keys(margins)), -1, -1)
	first, second := sorted[0], sorted[1]
	if margins[first] >= 3 {
		second = -1
	}
	open = slices.DeleteFunc(open, func(it item) bool { return it.indent != first && it.indent != second })
	for i := range open {
		if it := &open[i]; it.indent == first {
			it.indent = 0
		} else {
			it.rank, it.indent = 1, 1
		}
	}
	return outline{items: open}
}

// mayOpen reports whether a line begins with a name or an element of XML, is a section
// of settings, or begins with a sign and ends with an open brace, as in CSS.
func mayOpen(bare string) bool {
	n := strings.IndexFunc(bare+" ", func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
	if n > 0 {
		return !slices.Contains(controlWords, strings.ToLower(bare[:n]))
	}
	last := lastByte(bare)
	return bare[0] == '<' || bare[0] == '[' && last == ']' || strings.IndexByte(".#@:*", bare[0]) >= 0 && last == '{'
}
