package unified

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

func unifiedText(old, new string, context int) string {
	return textOf(old, new, Options{Context: context})
}

// textOf ends with a line feed, as the output of a command does.
func textOf(old, new string, o Options) string {
	text := Text(linediff.Compare([]byte(old), []byte(new)), []byte(old), []byte(new), o)
	if len(text) > 0 {
		text = append(text, '\n')
	}
	return string(text)
}

// The names of the texts come first.
func TestNames(t *testing.T) {
	o := Options{Old: "f\t1", New: "f\t2", Context: 1}
	const want = "--- f\t1\n+++ f\t2\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
	if got := textOf("a\nb", "a\nc\n", o); got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got := textOf("a\n", "a\n", o); got != "" {
		t.Errorf("Text of equal texts = %q, want nothing", got)
	}
}

const none = "\\ No newline at end of file\n"

func TestWrite(t *testing.T) {
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
		{"1\na\nb\nc\n2\n", "x\nx\na\nb\nc\ny\n", 1, "@@ -1,2 +1,3 @@\n-1\n+x\n+x\n a\n@@ -4,2 +5,2 @@\n c\n-2\n+y\n"},
		{"1\na\nb\nc\n2\n", "x\na\nb\nc\ny\n", 1, "@@ -1,2 +1,2 @@\n-1\n+x\n a\n@@ -4,2 +4,2 @@\n c\n-2\n+y\n"},
	} {
		if got := unifiedText(c.old, c.new, c.context); got != c.want {
			t.Errorf("unified(%q, %q, %d) =\n%s\nwant\n%s", c.old, c.new, c.context, got, c.want)
		}
	}
}

// With all lines as context, the common and removed lines are the old text, and the common
// and added ones the new one.
func TestWriteHasBothTexts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "-", "+ x", "\\ y", "@@ -1 +1 @@", "r\r"}), 0, 30).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		_, lines, _ := strings.Cut(unifiedText(old, new, 1000), "\n")
		if (lines == "") != (old == new) {
			t.Fatalf("%q and %q: the lines are %q", old, new, lines)
		}
		removed, added := "", ""
		for lines != "" {
			line, rest, _ := strings.Cut(lines, "\n")
			line += "\n"
			if after, ends := strings.CutPrefix(rest, none); ends {
				line, rest = strings.TrimSuffix(line, "\n"), after
			}
			if lines = rest; line[0] != '+' {
				removed += line[1:]
			}
			if line[0] != '-' {
				added += line[1:]
			}
		}
		if old != new && (removed != old || added != new) {
			t.Fatalf("the lines of %q and %q are those of %q and %q", old, new, removed, added)
		}
	})
}
