package terminal

import (
	"bytes"
	"math"
	"testing"
	"time"
)

// The line of a progress leaves no trace, is drawn no more often than it should be, and stays away
// once it was removed.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, what: "copying"}
	want := func(text string) {
		t.Helper()
		if out.String() != text {
			t.Errorf("there is %q, want %q", &out, text)
		}
	}
	p.end()
	want("")
	p = &progress{out: &out, what: "copying"}
	p.show(1, 10)
	p.show(2, 10) // not due
	want("\rcopying  10%")
	for _, c := range []struct {
		done, total int64
		want        string
	}{{3, 10, " 30%"}, {5, 2, "100%"}, {0, 0, "  0%"}, {1, math.MaxInt64, "  0%"}} {
		before := out.String()
		p.drawn = time.Now().Add(-time.Hour)
		p.show(c.done, c.total)
		want(before + "\rcopying " + c.want)
	}
	before := out.String()
	p.end()
	p.drawn = time.Now().Add(-time.Hour)
	p.show(4, 10)
	p.end()
	want(before + "\r            \r")
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, visible, cell string }{
		{"", "", "-"},
		{"plain ä 漢 👍", "plain ä 漢 👍", "plain ä 漢 👍"},
		{"a\tb\nc", "a\tb\nc", `a\u0009b\u000ac`},
		{"\x1b[31m\r\x00\x7f\u009b", `\u001b[31m\u000d\u0000\u007f\u009b`, `\u001b[31m\u000d\u0000\u007f\u009b`},
		{"\U000e0041", `\U000e0041`, `\U000e0041`},
		{"\u202eabc\u2066", `\u202eabc\u2066`, `\u202eabc\u2066`},
		{"a\u2028b\u2029c\u200b\u200c\u200d\u200e\u200f\ufeff\u2069\u061c", `a\u2028b\u2029c\u200b\u200c\u200d\u200e\u200f\ufeff\u2069\u061c`, `a\u2028b\u2029c\u200b\u200c\u200d\u200e\u200f\ufeff\u2069\u061c`},
		{"\xff\ufffd\x9b", `\xff` + "\ufffd" + `\x9b`, `\xff` + "\ufffd" + `\x9b`},
	} {
		if got := Visible(c.text); got != c.visible {
			t.Errorf("Visible(%q) = %q, want %q", c.text, got, c.visible)
		}
		if got := Cell(c.text); got != c.cell {
			t.Errorf("Cell(%q) = %q, want %q", c.text, got, c.cell)
		}
	}
}
