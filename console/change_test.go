package console_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// trouble is a store whose writes fail while there is an error.
type trouble struct {
	workspace.Store
	err    atomic.Pointer[error]
	stores bool // the write is stored, and fails nevertheless
}

func (s *trouble) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	err := s.err.Load()
	if err == nil {
		return s.Store.Update(ctx, o, fn)
	}
	if s.stores {
		if err := s.Store.Update(ctx, o, fn); err != nil {
			return err
		}
	}
	return *err
}

// newTrouble returns a service over a store that can be made to fail, and a browser.
func newTrouble(t *testing.T, limits workspace.Limits) (*trouble, *workspace.Service, *browser) {
	t.Helper()
	store := &trouble{Store: memstore.New()}
	svc := must(workspace.New(store, workspace.Options{Limits: limits}))(t)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	return store, svc, open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
}

// Whatever keeps a text from being stored, the answer is an editor that has it, and it can
// be saved from there.
func TestSaveFails(t *testing.T) {
	testkit.SkipInShort(t)
	store, svc, b := newTrouble(t, workspace.Limits{FileBytes: 1000, Bytes: 20_000})
	write(t, svc, "a", "p.md", "one\n")
	for _, c := range []struct {
		err    error
		text   string
		status int
	}{
		{nil, strings.Repeat("x", 1001), http.StatusRequestEntityTooLarge},
		{workspace.ErrStorageFull, "\n\ntwo <b>&amp;\n", http.StatusInsufficientStorage},
		{workspace.ErrQuota, "two", http.StatusInsufficientStorage},
		{workspace.ErrReadOnly, "two", http.StatusForbidden},
		{workspace.ErrBusy, "two", http.StatusServiceUnavailable},
		{fmt.Errorf("a failure without a kind"), "two", http.StatusInternalServerError},
	} {
		if c.err != nil {
			store.err.Store(&c.err)
		}
		for _, f := range []*webForm{b.edit("/a/a/files/p.md", c.text), b.form("/a/a/new?path=n.md", "create")} {
			f.fields.Set(f.text, c.text)
			status, page := b.send(f)
			again := formIn(t, page, f.fields.Get("do"))
			if status != c.status || again == nil || again.value() != c.text || again.fields.Get("version") != f.fields.Get("version") {
				t.Errorf("%v, %s: status %d\n%s", c.err, f.fields.Get("do"), status, page)
			}
		}
		store.err.Store(nil)
	}
	if got, version := read(t, svc, "a", "p.md"); got != "one\n" || version != 1 {
		t.Errorf("the file has %q, version %d", got, version)
	}
}

// A save whose outcome is not known can be sent again, and is stored once.
func TestSaveOutcomeUnknown(t *testing.T) {
	for _, stores := range []bool{true, false} {
		store, svc, b := newTrouble(t, workspace.Limits{})
		write(t, svc, "a", "p.md", "one\n")
		f := b.edit("/a/a/files/p.md", "two\n")
		store.stores = stores
		unknown := error(workspace.ErrOutcomeUnknown)
		store.err.Store(&unknown)
		status, page := b.send(f)
		store.err.Store(nil)
		again := formIn(t, page, "save")
		if status != http.StatusInternalServerError || again == nil || again.value() != "two\n" || !strings.Contains(page, "not stored twice") {
			t.Fatalf("status %d\n%s", status, page)
		}
		if stores { // and somebody else goes on from there
			write(t, svc, "a", "p.md", "two\nthree\n")
		}
		if status, page := b.send(again); status != http.StatusOK || stores != strings.Contains(page, "This is version 2") {
			t.Fatalf("the second time: status %d\n%s", status, page)
		}
		if got, version := read(t, svc, "a", "p.md"); !stores && (got != "two\n" || version != 2) || stores && version != 3 {
			t.Errorf("the file has %q, version %d", got, version)
		}
	}
}

// A form that is sent several times at once changes things once, and no answer is an error.
func TestSentTwice(t *testing.T) {
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "p.md", "one\n")
	twice := func(f *webForm) {
		t.Helper()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if status, page := b.send(f); status != http.StatusOK {
					t.Errorf("%s: status %d\n%s", f.fields.Get("do"), status, page)
				}
			})
		}
		all.Wait()
	}
	twice(b.edit("/a/a/files/p.md", "two\n"))
	twice(b.form("/a/a/files/p.md?v=1", "restore"))
	if got, version := read(t, svc, "a", "p.md"); got != "one\n" || version != 3 {
		t.Fatalf("after a save and a restore: %q, version %d", got, version)
	}
	move := b.form("/a/a/files/p.md?view=move", "move")
	move.fields.Set("to", "q.md")
	twice(move)
	if _, version := read(t, svc, "a", "q.md"); version != 4 {
		t.Fatalf("after a move: version %d", version)
	}
	twice(b.form("/a/a/files/q.md?view=delete", "delete"))
	f := b.form("/a/a/new?path=q.md", "create")
	f.fields.Set(f.text, "new\n")
	twice(f)
	if got, version := read(t, svc, "a", "q.md"); got != "new\n" || version != 5 {
		t.Fatalf("after a deletion and a new file: %q, version %d", got, version)
	}
}

// Who saves a file that was deleted or moved meanwhile is told so, and the text goes where the
// page says.
func TestSaveAfterLoss(t *testing.T) {
	svc, b := visited(t, newService(t))
	ws := must(svc.Agent("a"))(t)
	ws = ws.As(workspace.Author{Client: "codex"})
	write(t, svc, "a", "p.md", "one\n")
	f := b.edit("/a/a/files/p.md", "mine\n")
	must(ws.MoveFile(t.Context(), "p.md", "q.md", workspace.MoveOptions{}))(t)
	status, page := b.send(f)
	again := formIn(t, page, "save")
	if status != http.StatusConflict || again == nil || again.value() != "mine\n" || again.fields.Get("version") != "0" || !strings.Contains(page, "There is no such file any more") {
		t.Fatalf("moved: status %d\n%s", status, page)
	}
	if status, page := b.send(again); status != http.StatusOK {
		t.Fatalf("made again: status %d\n%s", status, page)
	}
	if got, _ := read(t, svc, "a", "p.md"); got != "mine\n" {
		t.Errorf("the file has %q", got)
	}
	if got, _ := read(t, svc, "a", "q.md"); got != "one\n" {
		t.Errorf("the file that was moved has %q", got)
	}
}

// A session that has ended and a stale token change nothing, and the answer has the text.
// The answer to another site's request has nothing.
func TestTypedTextOfStrangers(t *testing.T) {
	svc := newService(t)
	write(t, svc, "a", "p.md", "one\n")
	who := people{"ada": everybody(svc), "bob": everybody(svc)}
	srv := serve(t, console.Options{People: who})
	b, other := visit(t, srv, "ada"), visit(t, srv, "bob")
	const text = "\nmine </textarea><script>\n"
	f := b.edit("/a/a/files/p.md", text)
	typed := func(page string) string {
		n := find(parsePage(t, page), func(n *html.Node) bool { return attr(n, "id") == "typed" })
		if n == nil {
			t.Fatalf("the answer has no text:\n%s", page)
		}
		return innerText(n)
	}
	if status, page := other.send(f); status != http.StatusForbidden || typed(page) != text {
		t.Errorf("another session's token: status %d, text %q", status, typed(page))
	}
	r := must(http.NewRequestWithContext(t.Context(), http.MethodPost, srv+f.action, strings.NewReader(f.fields.Encode())))(t)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if status, page := b.roundTrip(r); status != http.StatusForbidden || strings.Contains(page, "mine") {
		t.Errorf("another site: status %d\n%s", status, page)
	}
	testkit.Must(t, who.SignOut(t.Context(), "ada"))
	if status, page := b.send(f); status != http.StatusUnauthorized || typed(page) != text {
		t.Errorf("an ended session: status %d, text %q", status, typed(page))
	}
	if got, version := read(t, svc, "a", "p.md"); got != "one\n" || version != 1 {
		t.Errorf("the file has %q, version %d", got, version)
	}
}

// withToken returns a form with the token of somebody else.
func withToken(from *webForm, token string) *webForm {
	f := &webForm{from.action, maps.Clone(from.fields), from.text}
	f.fields.Set("token", token)
	return f
}

// Only who may read and write sees controls, and changes files. An agent of somebody else
// is like one that cannot be.
func TestWhoMayChange(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	write(t, svc, "a", "p.md", "one\n")
	write(t, svc, "a", "p.md", "two\n")
	write(t, svc, "b", "p.md", "of b\n")
	ada, reader, writer := everybody(svc), everybody(svc), everybody(svc)
	ada.Allow = func(agent string) bool { return agent == "a" }
	reader.Write, writer.Read = false, false
	srv := serve(t, console.Options{People: people{"ada": ada, "reader": reader, "writer": writer}})
	b := visit(t, srv, "ada")
	forms := []*webForm{
		b.form("/a/a/files/p.md?view=edit", "save"), b.form("/a/a/files/p.md?v=1", "restore"), b.form("/a/a/files/p.md?view=move", "move"),
		b.form("/a/a/files/p.md?view=delete", "delete"), b.form("/a/a/new?path=n", "create"),
	}
	forms[2].fields.Set("to", "moved.md")
	for name, want := range map[string]int{"reader": http.StatusForbidden, "writer": http.StatusForbidden} {
		who := visit(t, srv, name)
		_, page := who.get("/")
		token := tokenOf(t, page)
		for _, from := range forms {
			f := withToken(from, token)
			if status, page := who.send(f); status != want {
				t.Errorf("%s, %s: status %d\n%s", name, f.action, status, page)
			}
		}
		for _, view := range []string{"/a/a/files/p.md?view=edit", "/a/a/files/p.md?view=move", "/a/a/files/p.md?view=delete", "/a/a/new"} {
			if status, _ := who.get(view); status != want {
				t.Errorf("%s, %s: status %d", name, view, status)
			}
		}
	}
	_, page := visit(t, srv, "reader").get("/a/a/files/p.md?v=1")
	for _, control := range []string{"view=edit", "view=move", "view=delete", `value="restore"`} {
		if strings.Contains(page, control) {
			t.Errorf("a page for a reader has %s", control)
		}
	}
	for _, f := range forms {
		var answers []string
		for _, agent := range []string{"b", "nobody", "no agent at all"} {
			there := *f
			there.action = strings.Replace(f.action, "/a/a/", "/a/"+url.PathEscape(agent)+"/", 1)
			status, page := b.send(&there)
			if status != http.StatusNotFound {
				t.Errorf("%s: status %d", there.action, status)
			}
			answers = append(answers, page)
		}
		if answers[0] != answers[1] || answers[0] != answers[2] {
			t.Errorf("%s of somebody else's agent: the answer says whether it is there", f.fields.Get("do"))
		}
	}
	if got, version := read(t, svc, "a", "p.md"); got != "two\n" || version != 2 {
		t.Errorf("the file has %q, version %d", got, version)
	}
	if got, version := read(t, svc, "b", "p.md"); got != "of b\n" || version != 1 {
		t.Errorf("the other agent's file has %q, version %d", got, version)
	}
}
