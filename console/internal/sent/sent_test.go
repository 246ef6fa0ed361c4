package sent_test

import (
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console/internal/sent"
)

// A form counts once for each person, unless it has changed nothing.
func TestBegin(t *testing.T) {
	var forms sent.Forms
	now := time.Unix(1_800_000_000, 0)
	stamp := sent.NewStamp(now)
	begin := func(person string, at time.Time, wantFirst, wantOK bool) *sent.Form {
		t.Helper()
		f, first, ok, err := forms.Begin(t.Context(), person, stamp, at)
		if first != wantFirst || ok != wantOK || err != nil {
			t.Fatalf("first %v, ok %v, %v; want %v, %v", first, ok, err, wantFirst, wantOK)
		}
		return f
	}
	forms.EndNothing(begin("ada", now, true, true))
	forms.End(begin("ada", now, true, true), "k1")
	if f := begin("ada", now.Add(time.Hour), false, true); f.Did() != "k1" {
		t.Errorf("the form did %q, want k1", f.Did())
	}
	forms.End(begin("bob", now, true, true), "k2")
	begin("ada", now.Add(time.Hour+time.Second), false, false)
	begin("eve", now.Add(-5*time.Minute), true, true)
	begin("eva", now.Add(-6*time.Minute), false, false)
}
