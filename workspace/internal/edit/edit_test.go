package edit_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/edit"
)

// Replace must make what IsQuick says is quick, of at most the limit.
func TestIsQuick(t *testing.T) {
	for _, test := range []struct {
		text, old, new string
		all            bool
		want           bool
	}{
		{"a b c", "b", "x", false, true},
		{"a b c", "b", "x", true, true},
		{"a b c", "d", "x", false, false},
		{"a b c", "d", "x", true, false},
		{"a b a", "a", "x", false, false},
		{"a b a", "a", "x", true, true},
		{"", "", "new", false, true},
		{"a b c", "", "new", false, true},
		{strings.Repeat("a", 90), "", "0123456789", false, true},
		{strings.Repeat("a", 91), "", "0123456789", false, false},
		{strings.Repeat("a", 10), "a", "0123456789", true, false},
		{strings.Repeat("a", 10), "a", "012345678", true, true},
		{strings.Repeat("a", 101), "b", "", false, false},
	} {
		if got := edit.IsQuick([]byte(test.text), test.old, test.new, test.all, 100); got != test.want {
			t.Errorf("IsQuick(%q, %q, %q, %v) = %v", test.text, test.old, test.new, test.all, got)
		}
		if !test.want {
			continue
		}
		if text, _, err := edit.Replace([]byte(test.text), test.old, test.new, test.all, 101); err != nil {
			t.Errorf("Replace(%q, %q, %q, %v) = %q, %v", test.text, test.old, test.new, test.all, text, err)
		}
	}
}
