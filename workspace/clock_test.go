package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Spending in a future month, by a clock that was ahead, is forgotten when a new month
// begins. The months around the present one are kept.
func TestSpendOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	const prefix = "spend/summary/local/a/"
	for _, month := range []string{"2026-09", "2026-10", "2026-12", "2027-01", "2036-01"} {
		testkit.Must(t, failure(store.System(t.Context()).Put(prefix+month, []byte("7"), 0)))
	}
	write(t, ps[0], "f", longText("one"))
	summarize(t, ps[0], "f")
	var months []string
	for _, r := range records(t, store, prefix) {
		months = append(months, strings.TrimPrefix(r.Key, prefix))
	}
	if want := []string{"2026-10", "2026-11", "2026-12"}; !slices.Equal(months, want) {
		t.Errorf("the months %v are kept, want %v", months, want)
	}
}

// A failure that has used tokens is the answer for 30 s. A failure that would last
// longer, because the clock was set back since, is ignored.
func TestFailureOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	write(t, ps[0], "f", longText("one"))
	abandon(t, store, ps[0], m, "f")
	left := records(t, store, "lease/")[0]
	for _, test := range []struct {
		ahead time.Duration
		asked bool
	}{{59 * time.Second, false}, {61 * time.Second, true}} {
		text := fmt.Sprintf(`{"until":%q,"failed":"it failed","paid":true}`, clock.Now().Add(test.ahead).Format(time.RFC3339))
		var err error
		if left.Revision, err = store.System(t.Context()).Put(left.Key, []byte(text), left.Revision); err != nil {
			t.Fatal(err)
		}
		if _, err := ps[0].Summarize(t.Context(), "f", workspace.SummarizeOptions{}); (err == nil) != test.asked {
			t.Errorf("Summarize after a failure that lasts %v more = %v, want the model asked: %t", test.ahead, err, test.asked)
		}
	}
}
