package outline_test

import (
	"strings"
	"testing"
)

// Comments of scripts are no headings.
func TestOutlineComments(t *testing.T) {
	comments := "# How to use\n#\n# Copy this.\n"
	no := []string{"# How", "Markdown"}
	checkOutlineCases(t, []outlineCase{
		{"completions/git", comments + "#\tIndented\n\n# Opens\n_one ()\n{\n\tif a; then\n\t\tb\n\tfi\n}\n\n# Next\ntwo() {\n\tc\n}\n", []string{"Shell", "_one", "two"}, no},
		{"bash.bashrc", "# A\n\n# If not\n[ -z \"$PS1\" ] && return\n\n# set\nif [ -x a ]; then\n    b\nfi\n", []string{"Shell"}, []string{"Markdown"}},
		{"services", comments + "\ntcpmux\t\t1/tcp\t# mux\necho\t\t7/tcp\n", nil, no[1:]},
		{"a.cmake", comments + "\nfunction(one a)\n  set(b)\nendfunction()\n\n# Two\nmacro(two)\nendmacro()\n", nil, no[1:]},
		{"a.tcl", comments + "\nproc one {a} {\n  b\n}\n\n# Two\nproc ns::two {} {}\n", []string{"Tcl", "proc one", "proc ns::two"}, no},
		{"a.fish", comments + "\nfunction one --description x\n  b\nend\n", []string{"Fish", "function one"}, no},
		{"a.awk", comments + "\nfunction one(a, b) {\n  return a\n}\n\n# Two\nBEGIN { x = 1 }\n", []string{"Awk", "function one"}, no},
		{"a.m4", comments + "\nAC_DEFUN([ONE], [\n# Two\nx\n])\n", nil, no[1:]},
		{"plan", "# Title\n## Part\n### Deep\n\nText is here.\n\n# Next\n\nMore text.\n", []string{"Markdown", "# Title", "## Part"}, nil},
		{"plan", "# Title\n\n    f() {\n    if a; then\n    fi\n\nText.\n", []string{"Markdown", "# Title"}, nil},
	})
}

// Bytes are counted as they are, also where they are no UTF-8, and what is no text
// is not read as one.
func TestOutlineBytes(t *testing.T) {
	zeros := strings.Repeat("\x00\x01ab", 100)
	checkOutlineCases(t, []outlineCase{
		{"a.txt", "caf\xe9 au lait is what\nhe drank.\n", []string{"Text, 2 lines, 31 bytes"}, nil},
		{"true", "\x7fELF\x02\x01\x01" + zeros + "\nlib.so\n", []string{"Binary, 415 bytes\n"}, []string{"lib.so", "Text", "lines"}},
		{"a.png", "\x89PNG\r\n\x1a\n" + strings.Repeat("\xff\xd8\x00z", 100), []string{"Binary, 408 bytes\n"}, nil},
		{"a.md", "# One\n" + zeros, []string{"Binary"}, nil},
		{"a.go", "package a\n\nvar x = \"\x00\"\n\nfunc F() {}\n", []string{"Go", "5 func F()"}, []string{"Binary"}},
		{"a.txt", "\x1b[31mred\x1b[0m and \x1b[1mbold\x1b[0m text is here.\n", []string{"Text, 1 line"}, []string{"Binary"}},
		{"a.txt", "\xff\xfe" + strings.Repeat("a\x00", 60) + "\n\x00", []string{"Text"}, []string{"Binary"}},
		{"a.txt", strings.Repeat("\xcf\xf0\xe8\xe2\xe5\xf2 ", 40) + "\n", []string{"Text, 1 line, 281 bytes"}, []string{"Binary"}},
	})
}

// What a text without a telling name is not.
func TestOutlineGuesses(t *testing.T) {
	checkOutlineCases(t, []outlineCase{
		{"group", "root:x:0:\ndaemon:x:1:\nbin:x:2:\nadm:x:4:me\n", nil, []string{"YAML"}},
		{"a", "url:http\nhost: a\nlist:\n  - b\n", []string{"YAML"}, nil},
		{"a.html", "<h2>One</h2>\n<p class=\"a\">Text</p>\n<h2>Two</h2>\n", []string{"HTML", "1 h2 One", "3 h2 Two"}, []string{"XML"}},
		{"a.htm", "<table><tr><td>1</td></tr></table>\n", []string{"HTML"}, []string{"XML"}},
		{"a.xml", "<a><b>1</b></a>\n", []string{"XML"}, nil},
		{"a.html", "Nothing.\n", []string{"Text"}, nil},
	})
}
