package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
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

func TestFile(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "notes/plan.md", "# Plan\n\nSee [the list](../list.txt).\n")
	write(t, svc, "a", "notes/plan.md", "# New plan\n\nSee [the list](../list.txt).\n")
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "line number %d\n", i+1)
	}
	write(t, svc, "a", "list.txt", long.String())
	write(t, svc, "a", "one.txt", strings.Repeat("x", 1<<20))
	for _, c := range []struct {
		address string
		want    []string
	}{
		{"/a/a/files/notes/plan.md", []string{"<h2 id=\"md-new-plan\">New plan</h2>", `href="/a/a/files/list.txt"`, "Version 2 by"}},
		{"/a/a/files/notes/plan.md?view=source", []string{`<span id="L1"><a href="#L1">1</a># New plan</span>`}},
		{"/a/a/files/notes/plan.md?v=1", []string{"Plan</h2>", "This is version 1.", "Restore version 1"}},
		{"/a/a/files/list.txt", []string{"line number 2000<", "Lines 1 to 2000 of 5000", "from=2001"}},
		{"/a/a/files/list.txt?from=4001", []string{"line number 4001<", "line number 5000<", "from=2001"}},
		{"/a/a/files/one.txt", []string{"1,028,576 bytes more, see Raw"}},
	} {
		status, page := b.get(c.address)
		for _, want := range c.want {
			if status != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s: %d, without %q", c.address, status, want)
			}
		}
	}
	write(t, svc, "a", "brackets.md", strings.Repeat("[", 20_000))
	write(t, svc, "a", "marks.txt", strings.Repeat("\x01\x02\n", 2000))
	write(t, svc, "a", "wide.txt", strings.Repeat(strings.Repeat("\x01\x02", 5000)+"\n", 100))
	for _, c := range []struct{ address, want string }{
		{"/a/a/files/brackets.md", "This text has too many brackets to be rendered. Here is its source."},
		{"/a/a/files/marks.txt", `id="L2000"`},
		{"/a/a/files/wide.txt", "from=4"}, // its marks take 30 times its bytes
	} {
		if _, page := b.get(c.address); !strings.Contains(page, c.want) || len(page) > 2<<20 {
			t.Errorf("%s: %d bytes, without %q", c.address, len(page), c.want)
		}
	}
	if _, text := b.get("/a/a/raw/list.txt"); text != long.String() {
		t.Error("raw gives other bytes than those that were written")
	}
	if status, _ := b.get("/a/a/files/gone.md"); status != http.StatusNotFound {
		t.Errorf("a file that does not exist: status %d", status)
	}
}

// The page of a file says which of its lines have a secret.
func TestFileWithSecret(t *testing.T) {
	svc, b := visited(t, newService(t))
	text := "a\nglpat-" + "x7Kq2mVb9TzR4wYc1NsD" + "\n"
	write(t, svc, "a", "f", text)
	write(t, svc, "a", "g", "a\n")
	const note = "Attention: line 2 has a secret (GitLab token). This removes it, also from older versions: scratchpad files redact f --agent a"
	if _, page := b.get("/a/a/files/f"); !strings.Contains(page, note) {
		t.Errorf("the page does not say %q:\n%s", note, page)
	}
	if _, page := b.get("/a/a/files/g"); strings.Contains(page, "Attention") {
		t.Errorf("a file without a secret has a note")
	}
}

// A webForm is a form of a page, as a browser holds it.
type webForm struct {
	action string
	fields url.Values
	text   string // the name of its text field
}

// find returns the first element that matches, or nil.
func find(n *html.Node, match func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && match(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if m := find(c, match); m != nil {
			return m
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func innerText(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(innerText(c))
	}
	return b.String()
}

func parsePage(t testing.TB, page string) *html.Node {
	t.Helper()
	root := must(html.Parse(strings.NewReader(page)))(t)
	return root
}

// formIn returns the form with the button of an action, or nil.
func formIn(t testing.TB, page, do string) *webForm {
	t.Helper()
	isButton := func(n *html.Node) bool {
		return n.Data == "button" && attr(n, "name") == "do" && attr(n, "value") == do
	}
	form := find(parsePage(t, page), func(n *html.Node) bool { return n.Data == "form" && find(n, isButton) != nil })
	if form == nil {
		return nil
	}
	f := &webForm{action: attr(form, "action"), fields: url.Values{"do": {do}}}
	find(form, func(n *html.Node) bool {
		switch {
		case n.Data == "textarea" && attr(n, "name") != "":
			f.text = attr(n, "name")
			f.fields.Set(f.text, innerText(n))
		case n.Data == "input" && attr(n, "name") != "":
			f.fields.Set(attr(n, "name"), attr(n, "value"))
		}
		return false
	})
	return f
}

// mustForm is formIn for a form that must be there.
func mustForm(t testing.TB, page, do string) *webForm {
	t.Helper()
	f := formIn(t, page, do)
	if f == nil {
		t.Fatalf("there is no form to %s:\n%s", do, page)
	}
	return f
}

// value returns what the text field of a form holds.
func (f *webForm) value() string { return f.fields.Get(f.text) }

// send sends a form as a browser does: each line ending of a text field is CRLF.
func (b *browser) send(f *webForm) (status int, page string) {
	b.t.Helper()
	fields := url.Values{}
	for name, values := range f.fields {
		fields[name] = values
	}
	if f.text != "" {
		text := strings.ReplaceAll(strings.ReplaceAll(f.value(), "\r\n", "\n"), "\r", "\n")
		fields.Set(f.text, strings.ReplaceAll(text, "\n", "\r\n"))
	}
	return b.post(f.action, fields)
}

// edit opens the editor of a file and types another text.
func (b *browser) edit(path, text string) *webForm {
	b.t.Helper()
	f := b.form(path+"?view=edit", "save")
	f.fields.Set(f.text, text)
	return f
}

// form returns a form of a page.
func (b *browser) form(path, do string) *webForm {
	b.t.Helper()
	status, page := b.get(path)
	if status != http.StatusOK {
		b.t.Fatalf("%s: status %d\n%s", path, status, page)
	}
	return mustForm(b.t, page, do)
}
