package code_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline/code"
	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the outlines of the examples in testdata")

// rendered is an outline for people: lines, definitions and what is said about them.
func rendered(l *code.Language, text string) string {
	var b strings.Builder
	about, defs := l.Outline(text)
	if about != "" {
		fmt.Fprintln(&b, about)
	}
	for _, d := range defs {
		fmt.Fprint(&b, d.Line)
		if d.End > 0 {
			fmt.Fprintf(&b, "-%d", d.End)
		}
		fmt.Fprintf(&b, " %s%s", strings.Repeat("  ", d.Indent), excerpt.Clean(d.Text, 160))
		if doc := excerpt.FirstSentence(d.Doc, 140); doc != "" {
			fmt.Fprint(&b, " — ", doc)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The examples of every language have the outlines that stand beside them, with
// the line ends of Unix and of Windows. Files of Go end in .txt: no tool reads them.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	testkit.Must(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, ".outline") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			l := code.Find(strings.TrimSuffix(file, ".txt"))
			if l == nil {
				t.Fatal("of no language")
			}
			seen[l.Name] = true
			text := testkit.ReadFile(t, file)
			if *update {
				testkit.Must(t, os.WriteFile(file+".outline", []byte(rendered(l, text)), 0o644))
			}
			want := testkit.ReadFile(t, file+".outline")
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
				if diff := cmp.Diff(want, rendered(l, text)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
	for _, l := range code.Languages() {
		if !seen[l.Name] {
			t.Errorf("%s has no example in testdata", l.Name)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"a.go": "Go", "src/A.PY": "Python", "Makefile": "Makefile", "makefile.am": "Makefile", "Dockerfile.dev": "Dockerfile",
		"a.txt": "", "go": "", "a.": "", "": "", ".go": "Go",
	} {
		got := ""
		if l := code.Find(name); l != nil {
			got = l.Name
		}
		if got != want {
			t.Errorf("Find(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestInterpreter(t *testing.T) {
	for line, want := range map[string]string{
		"#!/usr/bin/env python3": "Python", "#!/usr/bin/node": "JavaScript", "#!/bin/sh -e": "Shell", "#!/usr/bin/perl -w": "Perl", "#!": "Shell",
	} {
		if got := code.Interpreter(line).Name; got != want {
			t.Errorf("Interpreter(%q) is %q, want %q", line, got, want)
		}
	}
}
