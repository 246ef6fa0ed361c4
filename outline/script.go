package outline

import (
	"slices"
	"strings"
	"sync"
)

// scripts are languages of commands, by the end of a file's name. Their comments
// would be taken for headings.
var scripts = sync.OnceValue(func() map[string]kind {
	kinds := map[string]kind{
		"cmake": commandKind("CMake", "function", "macro"),
		"m4":    commandKind("M4", "AC_DEFUN", "AC_DEFUN_ONCE", "AU_DEFUN", "define", "m4_define", "m4_defun"),
	}
	for end, l := range map[string]language{
		"awk":  {name: "Awk", leaves: "function func"},
		"tcl":  {name: "Tcl", leaves: "proc"},
		"fish": {name: "Fish", leaves: "function"},
	} {
		l.syntax, l.indents, l.kinds = syntax{hash: true, quotes: `"`}, true, map[string]wordKind{}
		for word := range strings.FieldsSeq(l.leaves) {
			l.kinds[word] = leaf
		}
		kinds[end] = codeKind(&l)
	}
	return kinds
})

// commandKind lists the lines that begin with one of the words and a bracket.
func commandKind(name string, words ...string) kind {
	return kind{name, func(text string) (outline, bool) {
		var items []item
		for l := range linesOf(text) {
			bare := strings.TrimLeft(l.text, " \t")
			w := word(bare, 0)
			args := strings.TrimLeft(bare[len(w):], " ")
			if strings.HasPrefix(args, "(") && slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(known, w) }) {
				items = append(items, item{line: int32(l.n), text: strings.TrimRight(head(bare, 600), " [,")})
			}
		}
		if len(items) == 0 {
			items = scanProse(text).items
		}
		return outline{kind: name, items: items}, true
	}}
}
