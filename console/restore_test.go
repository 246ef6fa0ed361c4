package console_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// liveRegion returns the text of the region of a page that says what others have written.
func liveRegion(t *testing.T, page string) string {
	t.Helper()
	n := find(parsePage(t, page), func(n *html.Node) bool { return attr(n, "id") == "newer" })
	if n == nil {
		t.Fatalf("the page has no live region:\n%s", page)
	}
	return innerText(n)
}

// An open editor learns of what others write, at an address that has no text field.
func TestEditorLearns(t *testing.T) {
	svc, b := visited(t, keeping(t))
	write(t, svc, "a", "notes/p.md", "one\n")
	_, page := b.get("/a/a/files/notes/p.md?view=edit")
	body := find(parsePage(t, page), func(n *html.Node) bool { return n.Data == "body" })
	refresh := attr(body, "data-refresh")
	if attr(body, "data-stream") != "/events?agent=a" || refresh == "" || liveRegion(t, page) != "" {
		t.Fatalf("the page is not live:\n%s", page)
	}
	now := func() string {
		t.Helper()
		status, page := b.get(refresh)
		if status != http.StatusOK || strings.Contains(page, "<textarea") {
			t.Fatalf("status %d\n%s", status, page)
		}
		return liveRegion(t, page)
	}
	if got := now(); got != "" {
		t.Errorf("nothing has changed, and the page says %q", got)
	}
	write(t, svc, "a", "notes/p.md", "two\n")
	if got := now(); !strings.Contains(got, "Somebody has written version 2") || !strings.Contains(got, "Compare 1 and 2") {
		t.Errorf("after version 2 the page says %q", got)
	}
	ws := must(svc.Agent("a"))(t)
	must(ws.DeleteFile(t.Context(), "notes/p.md", workspace.DeleteOptions{}))(t)
	if got := now(); !strings.Contains(got, "deleted or moved") {
		t.Errorf("after the deletion the page says %q", got)
	}
}

// A text that a text field cannot hold is shown with the reason and a way to change it. The
// largest file that it holds can be saved, if each byte is a line or a quotation mark too.
func TestEditorRefuses(t *testing.T) {
	testkit.SkipInShort(t)
	svc := must(workspace.New(memstore.New(), workspace.Options{Limits: workspace.Limits{FileBytes: 2 << 20}}))(t)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	b := open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
	for text, want := range map[string]string{
		"one\ntwo\r\n":                "Some of its lines",
		"one\rtwo\n":                  "carriage returns",
		"one\x00":                     "NUL",
		strings.Repeat("x", 1<<20+1):  "takes at most 1.0 MB",
		strings.Repeat("\n", 1<<20):   "",
		strings.Repeat("\"", 1<<20-1): "",
	} {
		write(t, svc, "a", "p.md", text)
		status, page := b.get("/a/a/files/p.md?view=edit")
		f := formIn(t, page, "save")
		if status != http.StatusOK || (f == nil) != (want != "") || !strings.Contains(page, want) || f == nil && !strings.Contains(page, "download=1") {
			t.Errorf("%.9q: status %d, without %q", text, status, want)
		}
		if f == nil {
			continue
		}
		f.fields.Set(f.text, f.value()[1:]+"x")
		if status, page := b.send(f); status != http.StatusOK {
			t.Errorf("%.9q: the save has status %d\n%.3000s", text, status, page)
		}
		if got, _ := read(t, svc, "a", "p.md"); got != text[1:]+"x" {
			t.Errorf("%.9q: the save has stored another text", text)
		}
	}
}

// A restored version is the newest one. If somebody has written meanwhile, nothing is done.
func TestRestore(t *testing.T) {
	svc := newService(t)
	b := open(t, console.Options{Version: "1.4.0", People: people{"ada": everybody(svc)}}, "ada")
	write(t, svc, "a", "p.md", "one\r\ntwo\n\x00")
	write(t, svc, "a", "p.md", "two\n")
	f := b.form("/a/a/files/p.md?v=1", "restore")
	write(t, svc, "a", "p.md", "three\n")
	if status, page := b.send(f); status != http.StatusConflict || !strings.Contains(page, "nothing was done") {
		t.Fatalf("status %d\n%s", status, page)
	}
	again := b.form("/a/a/files/p.md?v=1", "restore")
	if _, version := read(t, svc, "a", "p.md"); version != 3 {
		t.Fatalf("the conflict has written version %d", version)
	}
	if status, page := b.send(again); status != http.StatusOK || !strings.Contains(page, "Version 4") {
		t.Fatalf("status %d\n%s", status, page)
	}
	if got, version := read(t, svc, "a", "p.md"); got != "one\r\ntwo\n\x00" || version != 4 {
		t.Errorf("the file has %q, version %d", got, version)
	}
	again.fields.Set("version", "9")
	if status, _ := b.send(again); status != http.StatusConflict {
		t.Errorf("a version that was never there: status %d", status)
	}
}

// A move takes the versions along. What is wrong with the new path stands at its field.
func TestMove(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "p.md", "one\n")
	write(t, svc, "a", "there.md", "other\n")
	f := b.form("/a/a/files/p.md?view=move", "move")
	for _, c := range []struct {
		to, want string
		status   int
	}{
		{"there.md", "There is a file at this path", http.StatusConflict},
		{"a/../b", `id="path-err"`, http.StatusBadRequest},
		{"", `id="path-err"`, http.StatusBadRequest},
	} {
		f.fields.Set("to", c.to)
		status, page := b.send(f)
		again := formIn(t, page, "move")
		if status != c.status || again == nil || again.fields.Get("to") != c.to || !strings.Contains(page, c.want) || !strings.Contains(page, `aria-invalid="true"`) {
			t.Errorf("%q: status %d\n%s", c.to, status, page)
		}
	}
	write(t, svc, "a", "p.md", "two\n")
	f.fields.Set("to", "ordner/日本 語.md")
	status, page := b.send(f)
	if status != http.StatusConflict || !strings.Contains(page, "nothing was done") {
		t.Fatalf("status %d\n%s", status, page)
	}
	now := b.form("/a/a/files/p.md?view=move", "move")
	now.fields.Set("to", "ordner/日本 語.md")
	if status, page = b.send(now); status != http.StatusOK {
		t.Fatalf("status %d\n%s", status, page)
	}
	if got, version := read(t, svc, "a", "ordner/日本 語.md"); got != "two\n" || version != 3 {
		t.Errorf("the file has %q, version %d", got, version)
	}
	if status, _ := b.send(f); status != http.StatusNotFound {
		t.Errorf("there is nothing to move: status %d", status)
	}
}

// The page that asks says what goes, and goes only with the version that it has shown.
func TestDelete(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "p.md", strings.Repeat("x", 1000))
	write(t, svc, "a", "p.md", strings.Repeat("x", 500))
	status, page := b.get("/a/a/files/p.md?view=delete")
	for _, want := range []string{"version <b>2</b>, 500 B", "<b>2 kept versions</b>, 1.5 kB", "journal keeps", "begins above 2"} {
		if status != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("status %d, without %q", status, want)
		}
	}
	f := mustForm(t, page, "delete")
	write(t, svc, "a", "p.md", "new\n")
	status, page = b.send(f)
	if _, version := read(t, svc, "a", "p.md"); status != http.StatusConflict || version != 3 || !strings.Contains(page, "nothing was done") {
		t.Fatalf("status %d, version %d\n%s", status, version, page)
	}
	status, page = b.send(b.form("/a/a/files/p.md?view=delete", "delete"))
	if _, version := read(t, svc, "a", "p.md"); status != http.StatusOK || version != 0 || !strings.Contains(page, "<b>Delete</b> <bdi>p.md</bdi>") {
		t.Fatalf("status %d, version %d\n%s", status, version, page)
	}
	if status, _ := b.send(f); status != http.StatusConflict {
		t.Errorf("deleted already: status %d", status)
	}
}

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
