package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A summary is paid for once. It is there after a restart, and its bytes count. Deleting the
// file gives them back.
func TestSummaryIsKept(t *testing.T) {
	t.Parallel()
	path, calls := filepath.Join(t.TempDir(), "test.db"), 0
	summarizer := &workspace.Summarizer{
		Method: "test", Model: "model", Prompt: "1", Remote: true,
		Summarize: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			calls++
			return workspace.SummaryText{Text: "summary of " + r.Path, Spent: 10}, nil
		},
	}
	for i := range 2 {
		s := open(t, path)
		svc, err := workspace.New(s, workspace.Options{Summarizer: summarizer})
		testkit.Must(t, err)
		ws := agent(t, svc, "a")
		if i == 0 {
			_, err := ws.WriteFile(t.Context(), "f", []byte(strings.Repeat("0123456789", 900)), workspace.WriteOptions{})
			testkit.Must(t, err)
		}
		r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
		if err != nil || r.Cached != (i == 1) || r.Text != "summary of f" || calls != 1 {
			t.Fatalf("Summarize %d = %+v, %v, after %d calls of the model", i, r, err, calls)
		}
		if u, err := ws.Usage(t.Context()); err != nil || u.Bytes != 9000+int64(len(r.Text)) {
			t.Errorf("the usage is %+v, %v, expected the bytes of the file and its summary", u, err)
		}
		if i == 1 {
			_, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})
			testkit.Must(t, err)
			if u, err := ws.Usage(t.Context()); err != nil || u.Bytes != 0 {
				t.Errorf("the usage after the deletion is %+v, %v, expected no bytes", u, err)
			}
		}
		if report, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || len(report.Problems) != 0 {
			t.Errorf("Verify() = %q, %v, expected no problem", report.Problems, err)
		}
		testkit.Must(t, s.Close())
	}
}
