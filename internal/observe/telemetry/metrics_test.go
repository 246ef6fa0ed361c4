package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Every tool that a server has is known here.
func TestKnownTools(t *testing.T) {
	url, _ := serveWith(t, Options{}, func(o *mcpserver.Options) { o.Tools = mcpserver.AllTools })
	list, err := connect(t, url, nil, tester).ListTools(t.Context(), nil)
	testkit.Must(t, err)
	for _, tool := range list.Tools {
		if !slices.Contains(known, tool.Name) {
			t.Errorf("the tool %s is not known", tool.Name)
		}
	}
}

// Whatever callers name, the number of series does not grow.
func TestMetricsAreBounded(t *testing.T) {
	testkit.SkipInShort(t)
	tel := newTelemetry(t, Options{})
	end := func(tool, agent string, err error) {
		_, over := tel.Around(t.Context(), mcpserver.Call{Tool: tool, AgentID: agent})
		over(mcpserver.Outcome{Err: err, BytesIn: 1})
	}
	errs := []error{nil, context.Canceled, context.DeadlineExceeded, errors.New("of nobody"), &mcpserver.Busy{}, workspace.Errorf(errors.New("a new kind"), "x")}
	for _, k := range errorkind.All {
		errs = append(errs, workspace.Errorf(k.Err, "with text"))
	}
	for _, tool := range known {
		for _, err := range errs {
			end(tool, "a", err)
		}
	}
	before := strings.Count(scrape(t, tel), "\nscratchpad_request")
	if before < len(known)*len(errorkind.All) {
		t.Fatalf("only %d series", before)
	}
	for n := range 2000 {
		for _, evil := range []string{fmt.Sprint("tool-", n), strings.Repeat("x", n), fmt.Sprintf("evil\n# %d\"}{", n), fmt.Sprintf("\xff\x00%d", n)} {
			end(evil, evil, errs[n%len(errs)])
		}
	}
	text := scrape(t, tel)
	if after := strings.Count(text, "\nscratchpad_request"); after != before {
		t.Errorf("%d series have become %d", before, after)
	}
	if strings.Contains(text, "evil") || strings.Contains(text, "tool-") {
		t.Error("a name of a caller is in the scrape")
	}
	if len(text) > 500_000 {
		t.Errorf("the scrape has %d bytes", len(text))
	}
}

// A summarizer that is counted answers as without.
func TestSummarizer(t *testing.T) {
	tel := newTelemetry(t, Options{})
	if tel.Summarizer(nil) != nil {
		t.Error("nil has become a Summarizer")
	}
	errs := []error{nil, workspace.ErrProvider, nil}
	s := tel.Summarizer(&workspace.Summarizer{Method: "test", Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		err := errs[0]
		errs = errs[1:]
		return workspace.SummaryText{Text: "short", Spent: 100}, err
	}})
	for _, want := range slices.Clone(errs) {
		if text, err := s.Summarize(t.Context(), workspace.SummaryRequest{}); err != want || text.Text != "short" || text.Spent != 100 {
			t.Errorf("Summarize = %+v, %v; want the text and %v", text, err, want)
		}
	}
	if s.Method != "test" {
		t.Errorf("the method is %q", s.Method)
	}
}
