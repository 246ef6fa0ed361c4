package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// goneCases remove the content of version 1 of the file f, each in another way.
var goneCases = []struct {
	name   string
	remove func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace)
	says   string
}{
	{"redacted", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		redact(t, ws, "f", 1)
	}, "version 1 was redacted at "},
	{"redacted, then archived", func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		archive(t, svc)
		redact(t, ws, "f", 1)
	}, "version 1 was redacted at "},
	{"redacted, then not retained", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		redact(t, ws, "f", 1)
		write(t, ws, "f", longText("three"))
		write(t, ws, "f", longText("four"))
	}, "version 1 is not kept, "},
	{"deleted", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		deleteF(t, ws)
	}, "it was deleted meanwhile"},
	{"moved away, and another file is there", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		if _, err := ws.MoveFile(t.Context(), "f", "g", workspace.MoveOptions{}); err != nil {
			t.Error(err)
		}
		write(t, ws, "f", longText("two"))
	}, "version 1 is not kept, "},
	{"deleted with its agent", func(t *testing.T, svc *workspace.Service, _ *workspace.Workspace) {
		deleteAgent(t, svc)
	}, "it was deleted meanwhile"},
	{"deleted with its agent, and written again", func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace) {
		deleteAgent(t, svc)
		write(t, ws, "f", longText("two"))
	}, "version 1 is not kept, "},
}

func deleteF(t *testing.T, ws *workspace.Workspace) {
	if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

func deleteAgent(t *testing.T, svc *workspace.Service) {
	if _, err := svc.DeleteAgent(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func archive(t *testing.T, svc *workspace.Service) {
	_, err := svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, _ bool) (workspace.Profile, error) {
		p.Name, p.Archived = "notes", time.Now()
		return p, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A summary that is made while its version is redacted or deleted is neither returned, to
// any of those who wait, nor kept. The error of a model may quote the file: it is not shown either.
func TestSummaryOfWhatIsGoneMeanwhile(t *testing.T) {
	for _, c := range goneCases {
		for _, method := range []string{"local", "remote", "failing"} {
			synctest.Test(t, func(t *testing.T) {
				m, let := waiting()
				s := m.remote()
				switch method {
				case "local":
					s = m.local()
				case "failing":
					wait := m.do
					m.do = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
						wait(ctx, r)
						return workspace.SummaryText{Spent: 1}, errors.New("it says: " + r.Content[:20])
					}
				}
				o := workspace.Options{Summarizer: s, Limits: workspace.Limits{Versions: 3}}
				svc, store := newService(t, o)
				ws := agentOf(t, svc, "a")
				write(t, ws, "f", longText("SECRET"))
				calls := []*summaryCall{begin(t, ws, "f"), begin(t, ws, "f")}
				synctest.Wait()
				c.remove(t, svc, agentOf(t, serviceOn(t, store, workspace.Options{Limits: o.Limits}), "a"))
				close(let)
				for _, call := range calls {
					r, err := call.wait()
					wantSummaryErr(t, c.name+", "+method, err, workspace.ErrNotFound, "summarize f: "+c.says)
					if r != (workspace.SummaryResult{}) {
						t.Errorf("%s, %s: Summarize = %+v beside the error", c.name, method, r)
					}
				}
				page, err := ws.Summaries(t.Context(), workspace.SummariesQuery{})
				if err != nil || len(page.Summaries) != 0 {
					t.Errorf("%s, %s: %+v is kept, %v, want nothing", c.name, method, page, err)
				}
				if strings.Contains(strings.Join(recordTexts(t, store), " "), "SECRET") {
					t.Errorf("%s, %s: the records have what is gone", c.name, method)
				}
			})
		}
	}
}

func recordTexts(t *testing.T, store workspace.Store) (texts []string) {
	for _, r := range records(t, store, "") {
		texts = append(texts, string(r.Value))
	}
	return texts
}

// A summary that cannot be kept, for a quota, is not returned either if its version is gone.
func TestSummaryWithoutRoomOfWhatIsGone(t *testing.T) {
	m := &model{}
	o := workspace.Options{Summarizer: m.local(), Limits: workspace.Limits{Bytes: oneFile + 2*int64(len(longText("")))}}
	ws := newWorkspace(t, o)
	write(t, ws, "f", longText("one"))
	m.do = func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		write(t, ws, "f", "")
		redact(t, ws, "f", 1)
		return workspace.SummaryText{Text: r.Content + r.Content + r.Content}, nil
	}
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "Summarize", err, workspace.ErrNotFound, "version 1 was redacted at ")
}
