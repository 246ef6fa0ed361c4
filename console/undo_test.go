package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

var hrefs = regexp.MustCompile(`href="([^"]*)"`)

// keeping returns a service whose deleted files can be restored for 30 days.
func keeping(t *testing.T) *workspace.Service {
	t.Helper()
	return must(workspace.New(memstore.New(), workspace.Options{KeepDeleted: 720 * time.Hour, Paths: workspace.UnicodePaths}))(t)
}

// A person deletes a file without being asked, and takes that back in each of the places that
// offer it.
func TestUndo(t *testing.T) {
	const path, escaped = "notes/プラン 1.md", "/a/a/files/notes/%E3%83%97%E3%83%A9%E3%83%B3%201.md"
	svc, b := visited(t, keeping(t))
	write(t, svc, "a", path, "one\n")
	write(t, svc, "a", path, "two\n")
	for i, place := range []string{"", "/a/a", "/a/a?q=/notes/", "/a/a/changes", escaped, "version"} {
		version := int64(2 + i)
		status, page := b.send(b.form(escaped, "delete"))
		if got, _ := read(t, svc, "a", path); status != http.StatusOK || got != "" {
			t.Fatalf("%s: status %d, and the file has %q\n%s", place, status, got, page)
		}
		if i == 0 && !(strings.Contains(page, ">Undo<") && strings.Contains(page, "Deleted <bdi>"+path)) {
			t.Fatalf("no line with Undo:\n%s", page)
		}
		if place == "version" {
			place = escaped + fmt.Sprintf("?v=%d", version)
		}
		if place != "" {
			_, page = b.get(place)
		}
		if n := strings.Count(page, `value="restore"`); place == "/a/a/changes" && n != 1 {
			t.Errorf("%d deletions can be restored, want the last one:\n%s", n, page)
		}
		status, page = b.send(mustForm(t, page, "restore"))
		if got, now := read(t, svc, "a", path); status != http.StatusOK || got != "two\n" || now != version+1 {
			t.Fatalf("%s: status %d, and version %d has %q\n%s", place, status, now, got, page)
		}
	}
}

// Without time to restore, the page asks first and says that it is final. Who may not write is
// offered nothing.
func TestNoUndo(t *testing.T) {
	svc, kept := newService(t), keeping(t)
	write(t, svc, "a", "p.md", "one\n")
	b := open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
	if _, page := b.get("/a/a/files/p.md"); formIn(t, page, "delete") != nil {
		t.Errorf("the page deletes for good without a question:\n%s", page)
	}
	if _, page := b.get("/a/a/files/p.md?view=delete"); !strings.Contains(page, "cannot be brought back") {
		t.Errorf("the page does not say that it is final:\n%s", page)
	}
	write(t, kept, "a", "p.md", "one\n")
	testkit.Must(t, testkit.Err(must(kept.Agent("a"))(t).DeleteFile(t.Context(), "p.md", workspace.DeleteOptions{})))
	reader := everybody(kept)
	reader.Write = false
	b = open(t, console.Options{People: people{"bob": reader}}, "bob")
	for _, place := range []string{"/a/a", "/a/a?deleted=p.md", "/a/a/changes", "/a/a/files/p.md", "/a/a/files/p.md?v=1"} {
		if _, page := b.get(place); strings.Contains(page, `value="restore"`) {
			t.Errorf("%s lets a reader restore:\n%s", place, page)
		}
	}
}

// A file that was written meanwhile is not overwritten, and its page can restore what was deleted.
// The pages that change a file refuse a deleted one.
func TestRestoreMeanwhile(t *testing.T) {
	svc, b := visited(t, keeping(t))
	write(t, svc, "a", "p.md", "one\n")
	remove := func() {
		testkit.Must(t, testkit.Err(must(svc.Agent("a"))(t).DeleteFile(t.Context(), "p.md", workspace.DeleteOptions{})))
	}
	remove()
	for _, view := range []string{"edit", "move", "delete"} {
		if status, page := b.get("/a/a/files/p.md?view=" + view); status != http.StatusNotFound || formIn(t, page, "restore") == nil {
			t.Errorf("%s: status %d\n%s", view, status, page)
		}
	}
	undo := b.form("/a/a?deleted=p.md", "restore")
	write(t, svc, "a", "p.md", "two\n")
	status, page := b.send(undo)
	if got, _ := read(t, svc, "a", "p.md"); status != http.StatusConflict || got != "two\n" || !strings.Contains(page, "nothing was done") {
		t.Fatalf("status %d, and the file has %q\n%s", status, got, page)
	}
	again := b.form("/a/a/files/p.md?v=1", "restore")
	remove()
	if status, page = b.send(again); status != http.StatusConflict {
		t.Fatalf("status %d\n%s", status, page)
	}
	status, page = b.send(b.form("/a/a/files/p.md?v=1", "restore"))
	if got, now := read(t, svc, "a", "p.md"); status != http.StatusOK || got != "one\n" || now != 3 {
		t.Errorf("status %d, and version %d has %q\n%s", status, now, got, page)
	}
	if status, page := b.get("/a/a/files/p.md?diff=1..2"); status != http.StatusOK {
		t.Errorf("a comparison with a deleted life: %d\n%s", status, page)
	}
}

// Each part of a path leads to what is there, whatever its letters are. The field finds files
// and logs.
func TestPathsAndParts(t *testing.T) {
	svc, b := visited(t, keeping(t))
	for _, path := range []string{"mes notes/été 1/a-b c.md", "mes notes/x.md", "other/mes notes/y.md", "re 100/प्र q.md"} {
		write(t, svc, "a", path, "x")
		appendLog(t, svc, "a", path, workspace.Author{}, "x")
		for _, kind := range []string{"files", "logs"} {
			address := "/a/a/" + kind + (&url.URL{Path: "/" + path}).EscapedPath()
			status, page := b.get(strings.ReplaceAll(address, "?", "%3F"))
			if status != http.StatusOK {
				t.Fatalf("%s: status %d\n%s", address, status, page)
			}
			_, heading, _ := strings.Cut(page, "<h1>")
			heading, _, _ = strings.Cut(heading, "</h1>")
			links := hrefs.FindAllStringSubmatch(heading, -1)
			if len(links) != strings.Count(path, "/")+1 {
				t.Errorf("the path is %s", heading)
			}
			for i, link := range links {
				if i < len(links)-1 && !strings.HasPrefix(link[1], "/a/a?q=%2F") {
					t.Errorf("a folder of %s leads to %s", path, link[1])
				}
				status, page := b.get(strings.ReplaceAll(link[1], "&amp;", "&"))
				if status != http.StatusOK || !strings.Contains(page, "<bdi>"+path[strings.LastIndex(path, "/")+1:][:1]) {
					t.Errorf("%s: status %d\n%s", link[1], status, page)
				}
			}
		}
	}
	for part, want := range map[string]string{
		"": "4 4", "MES": "3 3", "/mes notes/": "2 2", "été 1/": "1 1", "none": "0 0",
	} {
		_, page := b.get("/a/a?" + url.Values{"q": {part}}.Encode())
		_, logs, _ := strings.Cut(page, `id="h-logs"`)
		logs, _, _ = strings.Cut(logs, `id="h-ch"`)
		if got := fmt.Sprint(strings.Count(page, `<li class="f"`), strings.Count(logs, "<li data-item")); got != want {
			t.Errorf("%q finds %s files and logs, want %s", part, got, want)
		}
	}
}

// A page that was open before the file was restored and deleted again restores it once more.
func TestRestoreTwice(t *testing.T) {
	svc, b := visited(t, keeping(t))
	write(t, svc, "a", "p.md", "one\n")
	for range 3 {
		testkit.Must(t, testkit.Err(must(svc.Agent("a"))(t).DeleteFile(t.Context(), "p.md", workspace.DeleteOptions{})))
		_, page := b.send(b.form("/a/a/files/p.md?v=1", "restore"))
		if got, _ := read(t, svc, "a", "p.md"); got != "one\n" {
			t.Fatalf("the file has %q\n%s", got, page)
		}
	}
}

// What cannot be restored any more is not offered: the newest version that has a text is.
func TestRestoreBesideRedacted(t *testing.T) {
	svc, b := visited(t, keeping(t))
	for _, place := range []string{"/a/a", "/a/a?deleted=p.md", "/a/a/changes", "/a/a/files/p.md"} {
		ws := must(svc.Agent("a"))(t)
		write(t, svc, "a", "p.md", "one\n")
		write(t, svc, "a", "p.md", "two\n")
		_, last := read(t, svc, "a", "p.md")
		testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "p.md", workspace.DeleteOptions{})))
		testkit.Must(t, testkit.Err(ws.RedactVersion(t.Context(), "p.md", last, workspace.RedactOptions{})))
		l := must(ws.ListFiles(t.Context(), workspace.ListOptions{Deleted: true}))(t)
		if len(l.Files) != 1 || l.Files[0].Version != last-1 || l.Files[0].Bytes != 4 {
			t.Errorf("the list has %+v, want version %d", l.Files, last-1)
		}
		_, page := b.get(place)
		status, page := b.send(mustForm(t, page, "restore"))
		if got, _ := read(t, svc, "a", "p.md"); status != http.StatusOK || got != "one\n" {
			t.Errorf("%s: status %d, and the file has %q\n%s", place, status, got, page)
		}
	}
}
