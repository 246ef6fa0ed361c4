package unified

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

func unifiedText(old, new string, context int) string {
	var b strings.Builder
	err := Write(&b, linediff.Compare([]byte(old), []byte(new)), []byte(old), []byte(new), Options{Context: context})
	if err != nil {
		panic(err) // a strings.Builder has no error
	}
	return b.String()
}

// The names of the texts come first, and each line is styled by its kind. A write that
// fails is the last one.
func TestStyle(t *testing.T) {
	old, new := []byte("a\nb"), []byte("a\nc\n")
	o := Options{Old: "f\t1", New: "f\t2", Context: 1, Style: func(k Kind, line string) string { return fmt.Sprint(int(k), line) }}
	var b strings.Builder
	err := Write(&b, linediff.Compare(old, new), old, new, o)
	if want := "0--- f\t1\n0+++ f\t2\n1@@ -1,2 +1,2 @@\n4 a\n2-b\n4\\ No newline at end of file\n3+c\n"; err != nil || b.String() != want {
		t.Errorf("Write = %v, %q, want %q", err, b.String(), want)
	}
	b.Reset()
	if err := Write(&b, linediff.Compare(old, old), old, old, o); err != nil || b.Len() > 0 {
		t.Errorf("Write of equal texts = %v, %q, want nothing", err, b.String())
	}
	failing := writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite })
	if err := Write(failing, linediff.Compare(old, new), old, new, o); err != io.ErrShortWrite {
		t.Errorf("Write = %v, want %v", err, io.ErrShortWrite)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestWrite(t *testing.T) {
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

// The output, applied to the old text, gives the new one.
func TestWriteApplies(t *testing.T) {
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

// applyUnified applies a diff, and checks each of its lines and numbers.
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
