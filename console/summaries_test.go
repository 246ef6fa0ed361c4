package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// summarizer serves a console over an agent whose summaries a model makes. summarize
// writes a long file, and unless the text is empty makes it the summary.
func summarizer(t *testing.T) (b *browser, summarize func(path, text string)) {
	t.Helper()
	made := ""
	svc, err := workspace.New(memstore.New(), workspace.Options{SummaryTokens: 5000, Summarizer: &workspace.Summarizer{
		Method: "provider", Model: "model-<1>", Prompt: "3", Remote: true,
		Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: made, Spent: 7}, nil
		},
		Estimate: func(string, string) int64 { return 7 },
	}})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	ws := must(svc.Agent("a"))(t)
	return open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada"), func(path, text string) {
		t.Helper()
		write(t, svc, "a", path, strings.Repeat("long ", 2000))
		if made = text; text == "" {
			return
		}
		must(ws.Summarize(t.Context(), path, workspace.SummarizeOptions{}))(t)
	}
}

func TestSummaries(t *testing.T) {
	testkit.SkipInShort(t)
	b, summarize := summarizer(t)
	if _, page := b.get("/a/a/summaries"); !strings.Contains(page, "No file has a summary") || !strings.Contains(page, "An agent makes one when it asks") {
		t.Errorf("without summaries:\n%s", page)
	}
	for i := range 60 {
		summarize(fmt.Sprintf("f%02d", i), "short")
	}
	rows := 0
	for next := "/a/a/summaries"; next != ""; {
		_, page := b.get(next)
		for i := range 60 {
			path := fmt.Sprintf("f%02d", i)
			if strings.Contains(page, `<th scope="row"><a href="/a/a/summaries?path=`+path+`">`) && strings.Contains(page, `href="/a/a/files/`+path+`?v=1">1</a>`) {
				rows++
			}
		}
		for _, want := range []string{"<b>420</b> of 5,000 tokens", `aria-label="8 % of the month`, "model-&lt;1&gt;", `<bdi>provider</bdi>`, "10 kB"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: without %q\n%s", next, want, page)
			}
		}
		next = nextOf(page)
	}
	if rows != 60 {
		t.Errorf("all pages have %d summaries, want 60", rows)
	}
}

// The text of a summary is shown as text, as far as it has room.
func TestSummaryTexts(t *testing.T) {
	testkit.SkipInShort(t)
	b, summarize := summarizer(t)
	for i, c := range sample() {
		path := fmt.Sprintf("f%d", i)
		summarize(path, "x"+strings.ToValidUTF8(c.Text, "?"))
		status, page := b.get("/a/a/summaries?path=" + path)
		if checkHostile(t, c.Name, page); status != http.StatusOK {
			t.Errorf("%s: %d", c.Name, status)
		}
	}
	summarize("big", strings.Repeat("0123456789", 20_000))
	if _, page := b.get("/a/a/summaries?path=big"); len(page) > 200_000 || !strings.Contains(page, "and 69 kB more") {
		t.Errorf("a long summary: a page of %d bytes", len(page))
	}
	summarize("big", "") // a write without a summary
	if status, _ := b.get("/a/a/summaries?path=big"); status != http.StatusNotFound {
		t.Errorf("after a write: %d", status)
	}
}
