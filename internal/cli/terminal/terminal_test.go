package terminal

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		what        string
		unit        Unit
		done, total int64
		elapsed     time.Duration
		columns     int
		want        string
	}{
		{"copying", Bytes, 1 << 29, 1 << 30, 8 * time.Second, 50, "copying  50% [=======>      ] 0.5/1.0 GiB, 8s left"},
		{"copying", Bytes, 1 << 30, 1 << 30, 8 * time.Second, 50, "copying 100% [==============] 1.0/1.0 GiB, 0s left"},
		{"copying", Bytes, 0, 900, 8 * time.Second, 40, "copying   0% [>                ] 0/900 B"},
		{"copying", Bytes, 512, 1024, 100 * time.Second, 28, "copying  50% 0.5/1.0 KiB, 1m"},
		{"asking", Count, 3, 4, 3 * time.Second, 40, "asking  75% [=========>   ] 3/4, 1s left"},
		{"asking", Share, 1, 2, time.Second, 40, "asking  50% [=========>        ] 1s left"},
		{"a file that grew", Share, 5, 2, time.Second, 40, "a file that grew 100% [========] 0s left"},
		{"nothing to do", Bytes, 0, 0, time.Second, 30, "nothing to do   0% 0/1 B"},
		{"never", Share, 1, math.MaxInt64, time.Hour, 30, "never   0% [>               ] "},
		{"copying", Bytes, 1, 2, time.Second, -1, ""},
	} {
		got := progressLine(test.what, test.unit, test.done, test.total, test.elapsed, test.columns)
		if got != test.want || len(got) > max(test.columns, 0) {
			t.Errorf("progressLine(%q, %v, %d, %d, %v, %d) = %q, want %q", test.what, test.unit, test.done, test.total, test.elapsed, test.columns, got, test.want)
		}
	}
}

// TestProgressBar shows that a bar leaves no trace, draws no more often than it should,
// and stays away once it was removed.
func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	b := &bar{out: &out, what: "copying", unit: Count, began: time.Now()}
	b.end()
	if out.Len() > 0 {
		t.Errorf("a bar that was never shown wrote %q", &out)
	}
	b = &bar{out: &out, what: "copying", unit: Count, began: time.Now()}
	b.show(1, 10)
	first := out.String()
	if !strings.HasPrefix(first, "copying  10% [") || len(first) != 79 {
		t.Errorf("the bar is %q, want 79 columns that begin with copying  10%%", first)
	}
	b.drawn = time.Now().Add(time.Hour) // nothing is due
	b.show(2, 10)
	if out.String() != first {
		t.Errorf("a bar that was just drawn was drawn again: %q", &out)
	}
	b.drawn = time.Now().Add(-time.Hour)
	b.show(3, 10)
	emptied := "\r" + strings.Repeat(" ", 79) + "\r"
	second, more := strings.CutPrefix(out.String(), first+emptied)
	if !more || !strings.HasPrefix(second, "copying  30% [") || len(second) != 79 {
		t.Errorf("the bar is %q, want another in the place of the first", out.String())
	}
	b.end()
	b.show(4, 10)
	b.end()
	if got := out.String(); got != first+emptied+second+emptied {
		t.Errorf("after the end there is %q", got)
	}
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
