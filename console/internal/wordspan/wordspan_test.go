package wordspan_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/wordspan"
)

// The places are those in the text, also where the lower case has another length.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       []string
	}{
		{"", "a", nil}, {"abc", "", nil}, {"abc", "d", nil},
		{"Plan, plan", "PLAN", []string{"Plan", "plan"}},
		{"aaa", "aa", []string{"aa"}},
		{"İİ Plan İ plan", "plan", []string{"Plan", "plan"}},
		{"Ⱥ Ⱥb", "ⱥb", []string{"Ⱥb"}},
	} {
		var got []string
		for _, s := range wordspan.Find(c.text, c.word) {
			got = append(got, c.text[s.Start:s.End])
		}
		if len(got) != len(c.want) {
			t.Errorf("%q in %q: %q, want %q", c.word, c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q in %q: %q, want %q", c.word, c.text, got, c.want)
			}
		}
	}
}
