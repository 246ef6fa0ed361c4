package names_test

import (
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// A shortened name is valid UTF-8, and no character is cut in two.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"client", 6, "client"},
		{"client", 5, "clien"},
		{"aé", 2, "a"},
		{"aé", 3, "aé"},
		{"\U0001f600", 3, ""},
		{"a\xffb", 10, "a\uFFFDb"},
		{"a\xff\xffb", 4, "a\uFFFD"},
	} {
		if got := names.Shorten(c.text, c.most); got != c.want || !utf8.ValidString(got) {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
