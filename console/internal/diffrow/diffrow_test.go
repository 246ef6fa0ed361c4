package diffrow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/diffrow"
	"github.com/agent-scratchpad/scratchpad/console/internal/words"
)

func rows(old, new string, context int) []diffrow.Row {
	l := diffrow.Layout{
		Old: func(line int) string { return fmt.Sprint("old", line) }, New: func(line int) string { return fmt.Sprint("new", line) },
		Opened: func(line, row int) string { return fmt.Sprintf("gap at %d in row %d", line, row) },
	}
	view := words.Compare([]byte(old), []byte(new)).View(words.Options{Context: context})
	return l.Rows(view.Rows(0, view.Len()), 0)
}

// A gap has an address, and each run of changes one beginning.
func TestRows(t *testing.T) {
	var got []string
	for _, r := range rows("a\nb\nc\nd\ne\nf\n", "A\nb\nc\nd\ne\nF", 1) {
		got = append(got, fmt.Sprint(r.Kind, r.Hunk, r.Old.Address, r.New.Address, r.New.End, r.Gap, r.Open))
	}
	want := "removedtrueold10 addedfalsenew10 equalfalseold2new20 gapfalse2gap at 3 in row 3 equalfalseold5new50 removedtrueold60 addedfalsenew6no newline at the end0"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

// Of a long line, a row has what differs, between whole characters.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("é ", 20_000)
	for _, r := range rows(long+"old"+long, long+"new"+long, 1) {
		for _, s := range []diffrow.Side{r.Old, r.New} {
			if s.Line == 0 {
				continue
			}
			text := string(s.Text)
			if !strings.Contains(text, "old") && !strings.Contains(text, "new") || strings.Contains(text, "\ufffd") || len(text) > 4000 || s.Before == 0 || s.Cut == 0 {
				t.Errorf("%d bytes, %d before, %d after: %.200s", len(text), s.Before, s.Cut, text)
			}
		}
	}
}
