package summarize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestOutlineSummarizer(t *testing.T) {
	s := summarize.Outline(summarize.OutlineOptions{})
	if s.Method != "outline" || s.Model != "" || s.Prompt != outline.Rules || s.Remote {
		t.Errorf("%+v", s)
	}
	if p := summarize.Outline(summarize.OutlineOptions{MaxTokens: 900}).Prompt; p == s.Prompt || !strings.Contains(p, "900") {
		t.Errorf("another budget has the prompt %q", p)
	}
	parts := 0
	r := workspace.SummaryRequest{Path: "a.md", Content: "# One\n", Progress: func(done, total int) { parts += done * total }}
	made, err := s.Summarize(t.Context(), r)
	if want := outline.Text("a.md", "# One\n", 0); err != nil || made.Text != want || made.Spent != 0 || parts != 1 {
		t.Errorf("%+v, %v, progress %d; want %q", made, err, parts, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Summarize(ctx, r); err != context.Canceled {
		t.Errorf("after the context's end: %v", err)
	}
}
