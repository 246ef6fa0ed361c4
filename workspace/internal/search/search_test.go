package search_test

import (
	"context"
	"strings"
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
