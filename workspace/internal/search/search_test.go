package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

var background = context.Background()

// checkShown checks what holds for every hit.
func checkShown(t failer, h search.Hit) {
	t.Helper()
	if n := utf8.RuneCountInString(h.Text); n > search.MaxText || strings.ContainsAny(h.Text, "\t\n\r") || !utf8.ValidString(h.Text) {
		t.Fatalf("the text of %s has %d characters: %q", h.Path, n, h.Text)
	}
	last := 0
	for _, m := range h.Marks {
		if m[0] < last || m[1] < m[0] || m[1] > len(h.Text) || !utf8.ValidString(h.Text[m[0]:m[1]]) {
			t.Fatalf("the marks %v of %q are not ranges in ascending order", h.Marks, h.Text)
		}
		last = m[1]
	}
}

// The line that is shown is the first with most of what is looked for, and a heading only if
// no other line says as much.
func TestShownLine(t *testing.T) {
	for _, c := range []struct {
		query, text, want string
	}{
		{"refund", "# refund\n\nno\na refund\nthe refund\n", "4: a refund"},
		{"refund deploy", "# refund deploy\n\nrefund\ndeploy refund\n", "4: deploy refund"},
		{"refund deploy", "# refund deploy\n\nrefund\ndeploy\n", "1: # refund deploy"},
		{"refund deploy plan", "# plan\n\nrefund\nplan deploy refund\n", "4: plan deploy refund"},
	} {
		q, cause := search.Parse(c.query)
		if cause != "" {
			t.Fatal(cause)
		}
		r, err := search.Rank(t.Context(), q, 10, onePage([]search.Text{{Path: "a.md", Content: []byte(c.text)}}))
		if err != nil || len(r.Hits) != 1 || fmt.Sprintf("%d: %s", r.Hits[0].Line, r.Hits[0].Text) != c.want {
			t.Errorf("%q in %q: %+v, %v, want %s", c.query, c.text, r.Hits, err, c.want)
		}
	}
}

// A longer word may be banned or in a phrase, and a passage still matches by a shorter one.
func TestPrefixOfBanned(t *testing.T) {
	for _, query := range []string{"refund -refunding", `refund -"refunding now"`, `refund "refunding now"`} {
		for _, text := range []string{"refundings", "refunding", "refunding now", "refundings now, refunding now"} {
			checkOracle(t, query, []search.Text{{Path: "9000", Entry: 1, Content: []byte(text)}})
		}
	}
}
