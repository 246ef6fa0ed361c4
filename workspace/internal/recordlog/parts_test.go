package recordlog

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The parts of a text are entries within the limit, and join to the text again.
func TestPartsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "{" + strings.Repeat(rapid.StringN(1, 20, -1).Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times"))
		limit := rapid.Int64Range(1, 300).Draw(t, "limit")
		entries := split([]byte(text), limit)
		if entries == nil {
			if limit > 20 {
				t.Fatalf("a limit of %d bytes has no room for parts", limit)
			}
			return
		}
		var joined joiner
		for i, e := range entries {
			if int64(len(e)) > limit || !utf8.Valid(e) {
				t.Fatalf("entry %d of %d is %q, want at most %d bytes of UTF-8", i+1, len(entries), e, limit)
			}
			got, ok := joined.add(e)
			if whole := i == len(entries)-1; !ok || (got != nil) != whole || joined.within() == whole {
				t.Fatalf("after entry %d of %d the text is %q, %v", i+1, len(entries), got, ok)
			} else if whole && string(got) != text {
				t.Fatalf("the parts join to %q, want %q", got, text)
			}
		}
	})
}

// A joiner takes no part out of its turn.
func TestPartsInTurn(t *testing.T) {
	for _, entries := range [][]string{{"2/3 x"}, {"1/3 x", "3/3 x"}, {"1/3 x", "2/4 x"}, {"1/3 x", "1/3 x"}, {"1/2 x", "{}"}} {
		var joined joiner
		for i, e := range entries {
			if _, ok := joined.add([]byte(e)); ok != (i < len(entries)-1) {
				t.Errorf("entry %d of %q: %v", i+1, entries, ok)
			}
		}
	}
}
