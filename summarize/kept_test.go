package summarize

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Parts that were paid for before a failure are not paid for again for the same
// file. They are dropped when the whole summary is made.
func TestPaidPartsAreKept(t *testing.T) {
	lines := func(what string) string { return strings.Repeat("a line of text that says "+what+"\n", 3000) }
	for _, a := range apis {
		calls, failAt := 0, 4
		f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls == failAt {
				status(429, "{}", "Retry-After", "3600")(a)(w, r)
				return
			}
			answering(good(a, fmt.Sprintf("text %d", calls), "end_turn", 3000, 5))(w, r)
		})
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
		ask := func(content, path string) (workspace.SummaryText, int, []string, error) {
			calls = 0
			var progress []string
			r := request(content)
			r.Path = path
			r.Progress = func(done, total int) { progress = append(progress, fmt.Sprint(done)) }
			got, err := s.Summarize(t.Context(), r)
			if got.Spent > int64(calls)*3005 {
				t.Errorf("%d calls, spent %d", calls, got.Spent)
			}
			return got, calls, progress, err
		}
		whole := s.Estimate("p", lines("nothing"))
		got, _, _, err := ask(lines("nothing"), "p")
		checkError(t, err)
		if got.Spent != 3*3005 {
			t.Errorf("%+v", got)
		}
		// All but three windows of 3,000 tokens are still to be paid, and another file is paid whole.
		if n := s.Estimate("p", lines("nothing")); n > whole-3*2500 || n < whole-3*3400 || s.Estimate("q", lines("nothing")) != whole {
			t.Errorf("the estimate is %d tokens of %d", n, whole)
		}
		failAt = 0
		_, all, _, err := ask(lines("nothing else"), "p") // another file
		testkit.Must(t, err)
		_, other, _, err := ask(lines("nothing"), "another path")
		if err != nil || other < 10 {
			t.Errorf("another path: %d calls, %v", other, err)
		}
		got, n, progress, err := ask(lines("nothing"), "p")
		if err != nil || n != other-3 || got.Spent != int64(n)*3005 || len(progress) != other+1 {
			t.Errorf("again: %d calls of %d, %+v, %v, %v", n, other, got, progress, err)
		}
		if _, n, _, err := ask(lines("nothing"), "p"); err != nil || n != other {
			t.Errorf("anew: %d calls of %d, %v", n, other, err)
		}
		if _, n, _, err := ask(lines("nothing else"), "p"); err != nil || n != all {
			t.Errorf("the other file anew: %d calls of %d, %v", n, all, err)
		}
	}
}
