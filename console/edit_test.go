package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// read returns the text of a file, and its version. 0: there is none.
func read(t testing.TB, svc *workspace.Service, agent, path string) (string, int64) {
	t.Helper()
	ws := must(svc.Agent(agent))(t)
	r, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
	if err != nil {
		return "", 0
	}
	return string(r.Content), r.Version
}

// texts are what a person may meet in a file.
var texts = rapid.Custom(func(t *rapid.T) string {
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\n", "\r"}, {"\n", "\x00"}}).Draw(t, "line endings")
	pieces := append([]string{
		"a", "word ", "\t", " ", "é", "日本", "👩‍👩‍👧", "<b>", "</textarea>", "<textarea>", "&amp;", "&#13;", "&", "+", "%0D%0A", ";", "=", "\"", "'", "\x01", "\f", "\v",
		"\x1b[31m", "\x7f", "\u0085", "\u2028", "\u202e", "\ufeff", "\ufffd", "\ufffe", "<!--", "{{.}}", "\u200d",
	}, ends...)
	return strings.Join(append(rapid.SliceOfN(rapid.SampledFrom(ends), 0, 2).Draw(t, "leading"), rapid.SliceOfN(rapid.SampledFrom(append(pieces, ends...)), 0, 12).Draw(t, "pieces")...), "")
})

// What the editor shows and takes back are the bytes of the file, whatever the text and its
// line endings. A text that a browser would change is not offered for editing.
func TestEditorKeepsBytes(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	rapid.Check(t, func(rt *rapid.T) {
		text := texts.Draw(rt, "text")
		_, before := read(t, svc, "a", "x")
		write(t, svc, "a", "x", text)
		_, page := b.get("/a/a/files/x?view=edit")
		f := formIn(t, page, "save")
		crlf := strings.Count(text, "\r\n")
		holds := !strings.Contains(text, "\x00") && strings.Count(text, "\r") == crlf && (crlf == 0 || strings.Count(text, "\n") == crlf)
		if (f != nil) != holds {
			rt.Fatalf("%q can be edited: %v, want %v", text, f != nil, holds)
		}
		if f == nil {
			return
		}
		if status, _ := b.send(f); status != http.StatusOK {
			rt.Fatalf("status %d of a save without a change", status)
		}
		if got, version := read(t, svc, "a", "x"); got != text || version != before+1 {
			rt.Fatalf("nothing was typed: %q became %q, version %d", text, got, version)
		}
		end := "\n"
		if crlf > 0 {
			end = "\r\n"
		}
		f.fields.Set(f.text, "\nfirst\n"+f.value()+"last\n\n")
		if status, page := b.send(f); status != http.StatusOK {
			rt.Fatalf("status %d\n%s", status, page)
		}
		if got, _ := read(t, svc, "a", "x"); got != end+"first"+end+text+"last"+end+end {
			rt.Fatalf("%q with lines around it became %q", text, got)
		}
	})
}

// A new file has what was typed.
func TestNewFile(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	b := open(t, console.Options{Version: "1.4.0", People: people{"ada": everybody(svc)}}, "ada")
	f := b.form("/a/a/new?path=notes/p", "create")
	if f.fields.Get("path") != "notes/p" {
		t.Errorf("the path is %q", f.fields.Get("path"))
	}
	f.fields.Set(f.text, "\n\none\ntwo")
	for _, c := range []struct {
		path, want string
		status     int
	}{
		{"a//b", `id="path-err"`, http.StatusBadRequest},
		{"", `id="path-err"`, http.StatusBadRequest},
		{" notes/日本 語.md ", "notes/日本 語.md", http.StatusOK},
		{"notes/日本 語.md", "notes/日本 語.md", http.StatusOK}, // sent twice
	} {
		f.fields.Set("path", c.path)
		status, page := b.send(f)
		if status != c.status || !strings.Contains(page, c.want) {
			t.Errorf("%q: status %d, without %s", c.path, status, c.want)
		}
		if again := formIn(t, page, "create"); c.status != http.StatusOK && (again == nil || again.value() != "\n\none\ntwo" || again.fields.Get("path") != c.path) {
			t.Errorf("%q: the answer has lost what was typed", c.path)
		}
	}
	if got, version := read(t, svc, "a", "notes/日本 語.md"); got != "\n\none\ntwo" || version != 1 {
		t.Errorf("the file has %q, version %d", got, version)
	}
	ws := must(svc.Agent("a"))(t)
	r, err := ws.ReadFile(t.Context(), "notes/日本 語.md", workspace.ReadOptions{})
	if want := (workspace.Author{Client: "scratchpad console", Version: "1.4.0", Key: "k1"}); err != nil || r.Author != want {
		t.Errorf("the author is %+v, %v", r.Author, err)
	}
	f = b.form("/a/a/new", "create")
	f.fields.Set("path", "notes/日本 語.md")
	f.fields.Set(f.text, "another")
	status, page := b.send(f)
	if again := formIn(t, page, "create"); status != http.StatusConflict || again == nil || again.value() != "another" || !strings.Contains(page, "There is a file at this path") {
		t.Errorf("a path that is taken: status %d\n%s", status, page)
	}
	if got, _ := read(t, svc, "a", "notes/日本 語.md"); got != "\n\none\ntwo" {
		t.Errorf("the file was overwritten: %q", got)
	}
	// Deleted and made again with the same text, it is there again.
	must(ws.DeleteFile(t.Context(), "notes/日本 語.md", workspace.DeleteOptions{}))(t)
	f = b.form("/a/a/new", "create")
	f.fields.Set("path", "notes/日本 語.md")
	f.fields.Set(f.text, "\n\none\ntwo")
	b.send(f)
	if got, _ := read(t, svc, "a", "notes/日本 語.md"); got != "\n\none\ntwo" {
		t.Errorf("made again after a deletion, the file has %q", got)
	}
}

// Two people and an agent edit one file. Nobody's text is lost: each is a version of the
// history, or in the answer to the one who wrote it.
func TestConflict(t *testing.T) {
	svc := newService(t)
	write(t, svc, "a", "p.md", "one\n")
	srv := serve(t, console.Options{People: people{"ada": everybody(svc), "bob": everybody(svc)}})
	ada, bob := visit(t, srv, "ada"), visit(t, srv, "bob")
	adas, bobs := ada.edit("/a/a/files/p.md", "one\nada\n"), bob.edit("/a/a/files/p.md", "one\nbob\n")
	write(t, svc, "a", "p.md", "one\nagent\n") // version 2
	status, page := ada.send(adas)
	if status != http.StatusConflict || !strings.Contains(page, "agent") || !strings.Contains(page, "Theirs, version 2") {
		t.Fatalf("status %d\n%s", status, page)
	}
	again := mustForm(t, page, "save")
	if again.value() != "one\nada\n" || again.fields.Get("version") != "2" {
		t.Fatalf("the answer has %q on version %s", again.value(), again.fields.Get("version"))
	}
	if got, version := read(t, svc, "a", "p.md"); got != "one\nagent\n" || version != 2 {
		t.Fatalf("the conflict has changed the file: %q, version %d", got, version)
	}
	// Bob meets the agent's text too, and saves before Ada. The next save of Ada rests on
	// the version that she has seen, so she meets Bob's text.
	_, page = bob.send(bobs)
	bobs = mustForm(t, page, "save")
	if status, _ := bob.send(bobs); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	if status, page = ada.send(again); status != http.StatusConflict || !strings.Contains(page, "Theirs, version 3") || !strings.Contains(page, "bob") {
		t.Fatalf("status %d\n%s", status, page)
	}
	again = mustForm(t, page, "save")
	if status, _ := ada.send(again); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	for version, want := range map[int]string{1: "one\n", 2: "one\nagent\n", 3: "one\nbob\n", 4: "one\nada\n"} {
		if _, got := ada.get(fmt.Sprintf("/a/a/raw/p.md?v=%d", version)); got != want {
			t.Errorf("version %d is %q, want %q", version, got, want)
		}
	}
}
