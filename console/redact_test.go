package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A redacted entry says so in the log and in the journal, and its append shows no text.
func TestRedactedEntry(t *testing.T) {
	svc, b := visited(t, newService(t))
	appendLog(t, svc, "a", "l", workspace.Author{}, "one", "CANARY")
	must(must(svc.Agent("a"))(t).As(workspace.Author{Client: "cleaner"}).RedactEntry(t.Context(), "l", 2))(t)
	for path, want := range map[string]string{
		"logs/l": "Redacted by <bdi>cleaner</bdi>", "changes": `<span class="muted">entry 2</span>`, "logs/l?view=delete": "Delete 2 entries",
	} {
		if _, page := b.get("/a/a/" + path); !strings.Contains(page, want) || strings.Contains(page, "CANARY") {
			t.Errorf("%s does not have %q, or has the text:\n%s", path, want, page)
		}
	}
}

// A redacted version says when it was redacted and by whom, on each page that could show its
// text. No page links to a comparison with it.
func TestRedacted(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	for _, text := range []string{"one\n", "CANARY\n", "three\n", "four\n"} {
		write(t, svc, "a", "p.md", text)
	}
	ws := must(svc.Agent("a"))(t)
	v := must(ws.As(workspace.Author{Client: "cleaner"}).RedactVersion(t.Context(), "p.md", 2, workspace.RedactOptions{}))(t)
	at := v.Redacted.Time.Format("2006-01-02T15:04:05Z")
	for _, c := range []struct {
		path   string
		status int
		has    []string
		hasNot []string
	}{
		{"files/p.md", 200, []string{"Version 2, redacted", "redacted by <bdi>cleaner</bdi>", `href="/a/a/files/p.md?v=1"`, `?diff=3..4"`}, []string{`href="/a/a/files/p.md?v=2"`, "?diff=1..2", "?diff=2..3"}},
		{"files/p.md?v=2", 404, []string{"version 2 was redacted at " + at + ", its content is gone for good"}, nil},
		{"raw/p.md?v=2", 404, []string{"version 2 was redacted at " + at}, nil},
		{"files/p.md?diff=2..3", 404, []string{"Version 2 was redacted at " + at + ". Its text is gone for good."}, []string{"<tbody>"}},
		{"files/p.md?diff=1..2", 404, []string{"Version 2 was redacted at"}, []string{"<tbody>"}},
		{"files/p.md?diff=1..3", 200, []string{"three"}, nil},
		{"files/p.md?view=edit", 200, []string{"four"}, nil},
		{"files/p.md?view=delete", 200, []string{"p.md"}, nil},
		{"changes", 200, []string{"<b>Redact</b>", `<span class="muted">v2</span>`, "cleaner"}, []string{"?diff=2..4"}},
		{"search?q=CANARY", 200, nil, nil},
	} {
		status, page := b.get("/a/a/" + c.path)
		if c.path == "search?q=CANARY" {
			page = strings.ReplaceAll(page, `value="CANARY"`, "")
		}
		if status != c.status {
			t.Errorf("%s: status %d, want %d", c.path, status, c.status)
		}
		for _, text := range c.has {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page does not say %q:\n%s", c.path, text, page)
			}
		}
		for _, text := range append(c.hasNot, "CANARY\n") {
			if strings.Contains(page, text) {
				t.Errorf("%s: the page says %q", c.path, text)
			}
		}
	}
	f := b.form("/a/a/files/p.md?v=1", "restore")
	f.fields.Set("version", "2")
	if status, page := b.send(f); status != http.StatusNotFound || !strings.Contains(page, "was redacted at") {
		t.Errorf("the restore of a redacted version: %d\n%s", status, page)
	}
}
