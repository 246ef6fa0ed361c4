package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// appendLog appends entries.
func appendLog(t *testing.T, svc *workspace.Service, agent, log string, by workspace.Author, entries ...string) {
	t.Helper()
	ws := must(svc.Agent(agent))(t)
	texts := make([][]byte, len(entries))
	for i, e := range entries {
		texts[i] = []byte(e)
	}
	must(ws.As(by).AppendLog(t.Context(), log, texts...))(t)
}

// numbered returns n entries.
func numbered(n int) []string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf("entry that is %d of %d", i+1, n)
	}
	return entries
}

// A logPage is what the script sees of a page of a log.
type logPage struct {
	keys            []int64
	first, from, to int64
	older           string // the address
}

var (
	entryKey  = regexp.MustCompile(`<li id="e(\d+)" data-item data-key="(\d+)">`)
	entryList = regexp.MustCompile(`id="entries"(?: data-live="grow")? data-first="(\d+)" data-from="(\d+)" data-to="(\d+)"`)
	olderLink = regexp.MustCompile(`data-more="#entries" id="older" href="([^"]+)"`)
)

func parseLog(t *testing.T, page string) (p logPage) {
	t.Helper()
	list := entryList.FindStringSubmatch(page)
	if list == nil {
		t.Fatalf("no list of entries:\n%s", page)
	}
	int64Of := func(text string) int64 {
		n := must(strconv.ParseInt(text, 10, 64))(t)
		return n
	}
	p.first, p.from, p.to = int64Of(list[1]), int64Of(list[2]), int64Of(list[3])
	for _, m := range entryKey.FindAllStringSubmatch(page, -1) {
		if m[1] != m[2] {
			t.Fatalf("the row %s has the key %s", m[1], m[2])
		}
		p.keys = append(p.keys, int64Of(m[1]))
	}
	if m := olderLink.FindStringSubmatch(page); m != nil {
		p.older = html.UnescapeString(m[1])
	}
	return p
}

func TestLog(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	cursor := workspace.Author{Client: "cursor", Version: "1.7", Key: "k9"}
	appendLog(t, svc, "a", "checks", cursor, "deploy\nsmoke test: ok", "web-07 FAILED", strings.Repeat("a line of a report\n", 40)+"the end failed", strings.Repeat("x", 5000))
	appendLog(t, svc, "a", "checks", workspace.Author{}, "red \x1b[31m <b>bold</b>")
	for _, c := range []struct {
		query string
		rows  string
		want  []string
	}{
		{"", "[5 4 3 2 1]", []string{
			"Log · entries 1 to 5", `<pre>deploy` + "\n" + `smoke test: ok</pre>`, `href="/a/a/logs/checks?before=3#e2"`,
			`<details id="m3"><summary>622 B more</summary>`, `<details id="m4"><summary>4.1 kB more</summary>`,
			`href="/a/a/logs/checks?author=cursor" title="cursor 1.7, key k9"`, `U+001B</span>[31m &lt;b&gt;`, ">unknown<",
			`data-stream="/events?agent=a"`, "This is the first entry.",
		}},
		{"?q=failed", "[3 2]", []string{"web-07 <mark>FAILED</mark>", `<details id="m3" open>`, "the end <mark>failed</mark>", "Looked at all entries"}},
		{"?author=CURSOR+1.7", "[4 3 2 1]", nil},
		{"?author=cursor&q=deploy", "[1]", nil},
		{"?q=nothing", "[]", []string{"No entry matches."}},
		{"?before=3", "[2 1]", []string{`<a class="btn" href="/a/a/logs/checks">Newest</a>`}},
	} {
		status, page := b.get("/a/a/logs/checks" + c.query)
		if got := fmt.Sprint(parseLog(t, page).keys); status != http.StatusOK || got != c.rows {
			t.Errorf("%q: %d, entries %s, want %s", c.query, status, got, c.rows)
		}
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%q: without %q", c.query, want)
			}
		}
		if live := strings.Contains(page, `data-live="grow"`); live == strings.Contains(c.query, "before") {
			t.Errorf("%q: is live: %v", c.query, live)
		}
	}
	for address, want := range map[string]int{"/a/a/logs/none": 404, "/a/a/logs/": 400, "/a/a/logs/checks?before=x": 404, "/a/a/logs/checks?q=" + strings.Repeat("x", 1001): 400} {
		if status, page := b.get(address); status != want {
			t.Errorf("%s: %d, want %d\n%s", address, status, want, page)
		}
	}
}

// Older pages lead through all entries, each once, also while entries are added and removed.
func TestLogPages(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	appendLog(t, svc, "a", "l", workspace.Author{}, numbered(950)...)
	appendLog(t, svc, "a", "l", workspace.Author{}, strings.Repeat("z", 64<<10), strings.Repeat("z", 64<<10), strings.Repeat("z", 64<<10), strings.Repeat("z", 64<<10), strings.Repeat("z", 64<<10))
	want := int64(955)
	for next := "/a/a/logs/l"; next != ""; {
		_, text := b.get(next)
		page := parseLog(t, text)
		if page.to != want {
			t.Fatalf("%s: begins with %d, want %d", next, page.to, want)
		}
		for _, key := range page.keys {
			if key != want {
				t.Fatalf("%s: entry %d, want %d", next, key, want)
			}
			want--
		}
		if page.from != want+1 {
			t.Fatalf("%s: says that it goes to %d, and goes to %d", next, page.from, want+1)
		}
		next = page.older
		appendLog(t, svc, "a", "l", workspace.Author{}, "one more")
	}
	if want != 0 {
		t.Errorf("the last page ends with entry %d", want+1)
	}
	found := 0
	for next := "/a/a/logs/l?q=that+is+9"; next != ""; {
		_, text := b.get(next)
		page := parseLog(t, text)
		found += len(page.keys)
		next = page.older
	}
	if found != 1+10+51 { // 9, 90-99, 900-950
		t.Errorf("%d entries match, want 62", found)
	}
}

func TestLogTrim(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	appendLog(t, svc, "a", "l", workspace.Author{}, numbered(61)...)
	all := everybody(svc)
	reader := all
	reader.ID, reader.Write = "bob", false
	b := open(t, console.Options{People: people{"ada": all, "bob": reader}, Version: "1"}, "ada")
	first := func() int64 { _, page := b.get("/a/a/logs/l"); return parseLog(t, page).first }

	appendLog(t, svc, "a", "l", workspace.Author{}, "while somebody types")
	_, page := b.get("/a/a/logs/l?view=trim&through=40")
	for _, want := range []string{"40 entries of 62 go", "Entries 1 to 40 are deleted", "22 entries stay, and", ">Trim 40 entries<", "is 40 of 61", "is 41 of 61"} {
		if !strings.Contains(page, want) {
			t.Errorf("the question is without %q:\n%s", want, page)
		}
	}
	if got := first(); got != 1 {
		t.Fatalf("the question has trimmed: the log begins at %d", got)
	}
	appendLog(t, svc, "a", "l", workspace.Author{}, "while somebody reads")
	if status, page := b.post("/a/a/logs/l", url.Values{"token": {tokenOf(t, page)}, "do": {"trim"}, "through": {"40"}}); status != http.StatusOK || len(parseLog(t, page).keys) != 23 || first() != 41 {
		t.Errorf("trim: %d, begins at %d\n%s", status, first(), page)
	}
	for _, through := range []string{"40", "64", "x", "-1", "99999999999999999999"} {
		if status, page := b.get("/a/a/logs/l?view=trim&through=" + through); status != http.StatusBadRequest || !strings.Contains(page, `class="err"`) || strings.Contains(page, `name="do"`) {
			t.Errorf("through %s: %d\n%s", through, status, page)
		}
	}
	for _, through := range []string{"64", "x", "", "0"} {
		if status, _ := b.submit("/", "/a/a/logs/l", url.Values{"do": {"trim"}, "through": {through}}); status != http.StatusBadRequest {
			t.Errorf("post through %q: %d", through, status)
		}
	}
	bob := visit(t, b.url, "bob")
	if _, page := bob.get("/a/a/logs/l"); strings.Contains(page, "Trim") || strings.Contains(page, "Delete") {
		t.Errorf("a reader gets controls:\n%s", page)
	}
	if status, _ := bob.get("/a/a/logs/l?view=trim"); status != http.StatusForbidden {
		t.Errorf("a reader is asked: %d", status)
	}
	for _, do := range []string{"trim", "delete", "other"} {
		if status, _ := bob.submit("/", "/a/a/logs/l", url.Values{"do": {do}, "through": {"50"}, "last": {"63"}}); status != http.StatusForbidden || first() != 41 {
			t.Errorf("a reader's %s: %d, the log begins at %d", do, status, first())
		}
	}
	changes := must(all.Service.Look("a"))(t)
	if log, err := changes.ChangeLog(t.Context(), workspace.ChangeLogQuery{Limit: 1}); err != nil || log.Changes[0].Op != workspace.OpTrim || log.Changes[0].Author.Client != "scratchpad console" || log.Changes[0].Author.Key != "k1" {
		t.Errorf("the journal has %+v, %v", log.Changes, err)
	}
}

// A log that has grown since the person was asked is not deleted.
func TestLogDelete(t *testing.T) {
	svc, b := visited(t, newService(t))
	appendLog(t, svc, "a", "l", workspace.Author{}, numbered(3)...)
	_, page := b.get("/a/a/logs/l?view=delete")
	if !strings.Contains(page, "All 3 entries go") || !strings.Contains(page, ">Delete 3 entries<") {
		t.Errorf("the question:\n%s", page)
	}
	appendLog(t, svc, "a", "l", workspace.Author{}, "a late one")
	form := url.Values{"token": {tokenOf(t, page)}, "do": {"delete"}, "last": {"3"}}
	status, page := b.post("/a/a/logs/l", form)
	if status != http.StatusConflict || !strings.Contains(page, "All 4 entries go") || !strings.Contains(page, "a late one") {
		t.Errorf("a log that has grown: %d\n%s", status, page)
	}
	form.Set("last", "4")
	if status, page := b.post("/a/a/logs/l", form); status != http.StatusOK || !strings.Contains(page, "There are no logs.") {
		t.Errorf("delete: %d\n%s", status, page)
	}
	if status, page := b.get("/a/a/logs/l"); status != http.StatusNotFound || !strings.Contains(page, "This log was deleted. Its last entry was #4.") {
		t.Errorf("after that: %d\n%s", status, page)
	}
	if status, _ := b.post("/a/a/logs/l", form); status != http.StatusOK {
		t.Errorf("delete again: %d", status)
	}
}

// An entry that comes at the last moment, before the transaction of the deletion, keeps the
// log too.
func TestLogDeleteBesideAppend(t *testing.T) {
	store := &lateEntry{Store: memstore.New()}
	svc := must(workspace.New(store, workspace.Options{}))(t)
	appendLog(t, svc, "a", "l", workspace.Author{}, numbered(3)...)
	b := open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
	_, page := b.get("/a/a/logs/l?view=delete")
	store.come = func() { appendLog(t, svc, "a", "l", workspace.Author{}, "a late one") }
	status, page := b.post("/a/a/logs/l", url.Values{"token": {tokenOf(t, page)}, "do": {"delete"}, "last": {"3"}})
	if status != http.StatusConflict || !strings.Contains(page, "Nothing was deleted") || !strings.Contains(page, "a late one") {
		t.Errorf("delete: %d\n%s", status, page)
	}
}

// A lateEntry is a store that calls a function once, before it updates.
type lateEntry struct {
	workspace.Store
	come func()
}

func (s *lateEntry) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	if come := s.come; come != nil {
		s.come = nil
		come()
	}
	return s.Store.Update(ctx, o, fn)
}
