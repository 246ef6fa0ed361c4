package terminal

import "testing"

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
