package summarize

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A workspace returns an error of the provider, and keeps its answer.
func TestThroughAWorkspace(t *testing.T) {
	for _, a := range apis {
		trouble := true
		f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			if trouble {
				status(400, `{"error":{"message":"`+secret+`"}}`)(a)(w, r)
				return
			}
			answering(good(a, "A plan.", "end_turn", 4000, 9))(w, r)
		})
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL, Window: 50_000}, hooks{})
		store := memstore.New()
		defer store.Close()
		svc, err := workspace.New(store, workspace.Options{Summarizer: &s})
		testkit.Must(t, err)
		ws, err := svc.Agent("agent-1")
		testkit.Must(t, err)
		for _, path := range []string{"first.md", "second.md"} {
			if _, err := ws.WriteFile(t.Context(), path, []byte(strings.Repeat("a line of the plan\n", 600)), workspace.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		_, err = ws.Summarize(t.Context(), "first.md", workspace.SummarizeOptions{})
		checkError(t, err)
		trouble = false
		for _, cached := range []bool{false, true} {
			got, err := ws.Summarize(t.Context(), "second.md", workspace.SummarizeOptions{})
			if err != nil || got.Text != "A plan." || got.Cached != cached || got.Method != a.method || got.Model != a.model+" at "+strings.TrimPrefix(f.URL, "http://") {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if n := f.asked.Load(); n != 2 {
			t.Errorf("asked %d times", n)
		}
	}
}
