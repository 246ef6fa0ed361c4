package main

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// An editor gets a file whose name has room in every file system.
func TestLocalName(t *testing.T) {
	for stored, want := range map[string]string{
		"a/b.md": "b.md",
		"a/" + strings.Repeat("記", 100) + "/笔记.md": "笔记.md",
		strings.Repeat("記", 252) + ".md":           strings.Repeat("記", 65) + ".md",
		"é/" + strings.Repeat("\U00020000", 200):   strings.Repeat("\U00020000", 50),
		strings.Repeat("x", 200):                   strings.Repeat("x", 200),
		strings.Repeat("x", 150) + "." + "go" + "": strings.Repeat("x", 150) + ".go",
	} {
		got := localName(stored)
		if got != want || !utf8.ValidString(got) || path.Base(got) != got {
			t.Errorf("localName(%q) = %q, want %q", stored, got, want)
		}
	}
}
