package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fatih/color"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

func unifiedText(old, new string, context int) string {
	var b strings.Builder
	u := unified{out: &b, old: splitLines([]byte(old)), new: splitLines([]byte(new)), style: func(s string, _ ...color.Attribute) string { return s }}
	for _, h := range hunks(linediff.Compare([]byte(old), []byte(new)).Runs(), context) {
		u.hunk(h)
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	const none = "\\ No newline at end of file\n"
	for _, c := range []struct {
		old, new string
		context  int
		want     string
	}{
		{"", "", 3, ""},
		{"a\n", "a\n", 3, ""},
		{"", "a\n", 3, "@@ -0,0 +1 @@\n+a\n"},
		{"a\n", "", 3, "@@ -1 +0,0 @@\n-a\n"},
		{"a", "a\n", 3, "@@ -1 +1 @@\n-a\n" + none + "+a\n"},
		{"a\nb", "A\nb", 3, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n" + none},
		{"a\nb\nc\n", "a\nc\n", 0, "@@ -2 +1,0 @@\n-b\n"},
		{"a\nc\n", "a\nb\nc\n", 0, "@@ -1,0 +2 @@\n+b\n"},
		{"1\na\nb\n2\n", "x\na\nb\ny\n", 1, "@@ -1,4 +1,4 @@\n-1\n+x\n a\n b\n-2\n+y\n"},
		{"1\na\nb\nc\n2\n", "x\na\nb\nc\ny\n", 1, "@@ -1,2 +1,2 @@\n-1\n+x\n a\n@@ -4,2 +4,2 @@\n c\n-2\n+y\n"},
	} {
		if got := unifiedText(c.old, c.new, c.context); got != c.want {
			t.Errorf("unified(%q, %q, %d) =\n%s\nwant\n%s", c.old, c.new, c.context, got, c.want)
		}
	}
}

// What a unified diff says gives the new text back from the old one.
func TestUnifiedApplies(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "-", "+ x", "\\ y", "@@ -1 +1 @@", "r\r"}), 0, 30).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		context := rapid.IntRange(0, 4).Draw(t, "context")
		diff := unifiedText(old, new, context)
		got, err := applyUnified(old, diff)
		if err != nil || got != new {
			t.Fatalf("applying\n%s\nto %q gives %q, %v, want %q", diff, old, got, err, new)
		}
	})
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// applyUnified believes neither the lines nor the numbers of a diff.
func applyUnified(old, diff string) (string, error) {
	rest, lines := splitLines([]byte(old)), splitLines([]byte(diff))
	var out []string
	done := 0
	for len(lines) > 0 {
		m := hunkHeader.FindStringSubmatch(strings.TrimSuffix(lines[0], "\n"))
		if m == nil {
			return "", fmt.Errorf("%q is no header", lines[0])
		}
		lines = lines[1:]
		from, removed := hunkRange(m[1], m[2])
		to, added := hunkRange(m[3], m[4])
		if from < done || from > done+len(rest) {
			return "", fmt.Errorf("hunk at %d after %d", from, done)
		}
		out = append(out, rest[:from-done]...)
		rest = rest[from-done:]
		done = from
		if to != len(out) {
			return "", fmt.Errorf("hunk says line %d of the new text, it is %d", to, len(out))
		}
		for removed > 0 || added > 0 {
			if len(lines) == 0 {
				return "", fmt.Errorf("the hunk ends early")
			}
			mark, line := lines[0][0], lines[0][1:]
			lines = lines[1:]
			if len(lines) > 0 && lines[0] == "\\ No newline at end of file\n" {
				line, lines = strings.TrimSuffix(line, "\n"), lines[1:]
			}
			if mark != '+' {
				if len(rest) == 0 || rest[0] != line {
					return "", fmt.Errorf("%q is not in the old text at %d", line, done)
				}
				rest, done, removed = rest[1:], done+1, removed-1
			}
			if mark != '-' {
				out, added = append(out, line), added-1
			}
		}
	}
	return strings.Join(slices.Concat(out, rest), ""), nil
}

// hunkRange is the lines before a hunk, and those in it.
func hunkRange(start, lines string) (before, n int) {
	before, _ = strconv.Atoi(start)
	n = 1
	if lines != "" {
		n, _ = strconv.Atoi(lines)
	}
	if n > 0 {
		before--
	}
	return before, n
}
