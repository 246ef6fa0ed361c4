package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// hitsOf returns where the hits of a page lead to.
func hitsOf(t *testing.T, page string) (hrefs []string) {
	t.Helper()
	for n := range parsePage(t, page).Descendants() {
		if n.Type == html.ElementNode && n.Data == "li" && n.Parent.Data == "ol" && attr(n.Parent, "class") == "hits" {
			hrefs = append(hrefs, attr(find(n, func(n *html.Node) bool { return n.Data == "a" }), "href"))
		}
	}
	return hrefs
}

// address returns an address with a query.
func address(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return path + "?" + q.Encode()
}

// many returns the hits of lines of many.txt.
func many(from, to int) string {
	var hits []string
	for line := from + 1; line <= to; line++ {
		above := ""
		if line > 15 {
			above = fmt.Sprintf("&from=%d", line-15)
		}
		hits = append(hits, fmt.Sprintf("/a/a/files/many.txt?view=source%s#L%d", above, line))
	}
	return fmt.Sprint(hits)
}

func TestSearch(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, keeping(t))
	write(t, svc, "a", "notes/plan.md", "# Plan\n\nWe ship on Monday.\n")
	write(t, svc, "a", "long.txt", strings.Repeat("nothing\n\n", 700)+"the needle <b>is</b> here\n")
	appendLog(t, svc, "a", "checks", workspace.Author{}, "all is well", "a needle in the log")
	write(t, svc, "a", "gone.md", "# Gone\n\na pigeon\n")
	must(must(svc.Agent("a"))(t).DeleteFile(t.Context(), "gone.md", workspace.DeleteOptions{}))(t)
	write(t, svc, "a", "many.txt", strings.Repeat("many\n", 60))
	write(t, svc, "b", "plan.md", "The plan of another agent, with a needle.")
	for _, c := range []struct {
		address string
		status  int
		hits    string
		want    string
	}{
		{address("/a/a/search", "q", "monday"), 200, "[/a/a/files/notes/plan.md?view=source#L3]", "We ship on <mark>Monday</mark>."},
		{address("/a/a/search", "q", "needle", "kind", "file"), 200, "[/a/a/files/long.txt?view=source&from=1386#L1401]", "the <mark>needle</mark> &lt;b&gt;is&lt;/b&gt; here"},
		{address("/a/a/search", "q", "needle", "kind", "log"), 200, "[/a/a/logs/checks?before=3#e2]", "1 passage."},
		{address("/a/a/search", "q", "needle", "prefix", "notes/"), 200, "[]", "Search all files and logs"},
		{address("/a/a/search", "q", "<b>is", "as", "exact"), 200, "[/a/a/files/long.txt?view=source&from=1386#L1401]", "<mark>&lt;b&gt;is</mark>"},
		{address("/a/a/search", "q", "^We .*y\\.$", "as", "regexp"), 200, "[/a/a/files/notes/plan.md?view=source#L3]", "1 line."},
		{address("/a/a/search", "q", "pigeon"), 200, "[]", "Nothing has"},
		{address("/a/a/search", "q", "pigeon", "kind", "old"), 200, "[/a/a/files/gone.md?view=source&v=1#L3]", "@1 (deleted)"},
		{address("/a/a/search", "q", "mondey"), 200, "[]", `Words like it: <a href="/a/a/search?q=monday">monday</a>.`},
		{address("/a/a/search", "q", "many", "as", "exact"), 200, many(0, 50), `<a href="/a/a/search?after=50&amp;as=exact&amp;q=many">More hits</a>`},
		{address("/a/a/search", "q", "many", "as", "exact", "after", "50"), 200, many(50, 60), "10 of 60, after the first 50 lines."},
		{address("/a/a/search", "q", "zweigstelle"), 200, "[]", `<a href="/a/a/search?as=exact&amp;q=zweigstelle">Look for the exact text</a>`},
		{address("/a/a/search", "q", "Ship", "as", "exact"), 200, "[]", "the same capitals"},
		{address("/a/a/search"), 200, "[]", "Search a</h2>"},
		{address("/a/a/search", "q", "(a", "as", "regexp"), 400, "[]", `role="alert">Search (a: error parsing regexp: missing closing )`},
		{address("/a/a/search", "q", "!?"), 400, "[]", `aria-invalid="true" aria-describedby="problem"`},
		{address("/a/a/search", "q", "!?"), 400, "[]", "Search !?: it has no letter or digit; look for the exact text."},
		{address("/a/a/search", "q", "x", "kind", "hat"), 400, "[]", "kind"},
		{address("/a/a/search", "q", strings.Repeat("x", 1001)), 400, "[]", "limit 1000"},
		{address("/search", "q", "needle", "kind", "log"), 200, "[/a/a/logs/checks?before=3#e2]", "1 passage. 2 agents were searched."},
		{address("/search", "q", "another"), 200, "[/a/b/files/plan.md?view=source#L1]", "b / <bdi>plan.md</bdi>"},
		{address("/search"), 200, "[]", "Search all agents</h2>"},
	} {
		status, page := b.get(c.address)
		if hits := fmt.Sprint(hitsOf(t, page)); status != c.status || hits != c.hits || !strings.Contains(page, c.want) {
			t.Errorf("%s: %d, %s, want %s with %q\n%s", c.address, status, hits, c.hits, c.want, page)
		}
	}
	_, page := b.get("/a/a/files/long.txt?view=source&from=1386")
	if !strings.Contains(page, `id="L1401"`) {
		t.Errorf("the line of the hit is not on the page of its link:\n%s", page)
	}
}

// The link to a hit leads to a page that has its line, however long the lines before are.
func TestSearchLongLines(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "f", strings.Repeat(strings.Repeat("x", 30_000)+"\n", 32)+"needle")
	_, page := b.get("/a/a/search?q=needle")
	to, line, _ := strings.Cut(hitsOf(t, page)[0], "#")
	if _, text := b.get(to); line != "L33" || !strings.Contains(text, `id="L33"`) {
		t.Errorf("%s has no line 33", to)
	}
}

// A person finds what the person may see.
func TestSearchRights(t *testing.T) {
	svc := newService(t)
	for _, agent := range []string{"a", "b-1", "b-2", "c"} {
		write(t, svc, agent, "f", "canary of "+agent)
	}
	all := everybody(svc)
	some := all
	some.ID, some.Agents = "bob", []string{"b-*"}
	some.Allow = func(agent string) bool { return strings.HasPrefix(agent, "b-") }
	one := all
	one.ID, one.Agents, one.Allow = "eve", []string{"c"}, func(agent string) bool { return agent == "c" }
	blind := all
	blind.ID, blind.Read = "joe", false
	b := open(t, console.Options{People: people{"ada": all, "bob": some, "eve": one, "joe": blind}}, "ada")
	for who, want := range map[string]string{"ada": "[a b-1 b-2 c]", "bob": "[b-1 b-2]", "eve": "[c]", "joe": "[]"} {
		_, page := visitAs(t, b.url, who).get("/search?q=canary")
		var agents []string
		for _, hit := range hitsOf(t, page) {
			agents = append(agents, strings.Split(hit, "/")[2])
		}
		slices.Sort(agents)
		count := fmt.Sprintf("%d passages. %[1]d agents were searched.", len(agents))
		if got := fmt.Sprint(agents); got != want || len(agents) > 1 && !strings.Contains(page, count) {
			t.Errorf("%s finds %s, want %s\n%s", who, got, want, page)
		}
	}
	for _, path := range []string{"/a/a/search?q=canary", "/a/a/summaries", "/a/a/logs/l", "/a/a/logs/l?view=trim"} {
		if status, page := visitAs(t, b.url, "bob").get(path); status != http.StatusNotFound || strings.Contains(page, "canary") {
			t.Errorf("%s of another's agent: %d", path, status)
		}
		if status, _ := visitAs(t, b.url, "joe").get(path); status != http.StatusForbidden {
			t.Errorf("%s without read: %d", path, status)
		}
	}
}

// visitAs is visit, for people who may see no page after they have signed in.
func visitAs(t *testing.T, at, who string) *browser {
	t.Helper()
	b := visit(t, at, "")
	b.post("/signin", url.Values{"key": {who}})
	return b
}

// checkHostile fails the test if a page has an element, an attribute or a link that no page
// of these has, or a character that its readers cannot see.
func checkHostile(t *testing.T, name, page string) {
	t.Helper()
	elements := strings.Fields("html head meta title link script body a header nav form label input button kbd main div h1 h2 p ol li time span bdi pre details summary section footer dialog dl dt dd mark select option code table caption thead tbody tr th td svg rect i b h3 ins del colgroup col")
	for n := range parsePage(t, page).Descendants() {
		switch n.Type {
		case html.ElementNode:
			if !slices.Contains(elements, n.Data) {
				t.Errorf("%s: an element %s", name, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.ContainsAny(a.Key, `"'<>`) {
					t.Errorf("%s: an attribute %s", name, a.Key)
				}
				link := a.Key == "href" || a.Key == "src" || a.Key == "action"
				if link && (!strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "?") || strings.HasPrefix(a.Val, "//") || strings.ContainsAny(a.Val, "\\\n")) {
					t.Errorf("%s: %s=%q", name, a.Key, a.Val)
				}
				if !(a.Key == "value" && n.Data == "input") && text.Plain(a.Val) != a.Val {
					t.Errorf("%s: %s=%q", name, a.Key, a.Val)
				}
			}
		case html.TextNode:
			for r := range text.Runs(n.Data) {
				if r.Mark {
					t.Errorf("%s: the text has %s", name, r.Label())
				}
			}
		}
	}
}

func TestHostileLogs(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	ws := must(svc.Agent("a"))(t)
	names := 0
	for _, c := range sample() {
		by := ws.As(workspace.Author{Client: c.Text, Version: c.Text})
		must(by.AppendLog(t.Context(), "l", []byte(strings.ToValidUTF8(c.Text, "?"))))(t)
		if _, err := by.AppendLog(t.Context(), c.Text, []byte("an entry")); err == nil {
			names++
			path := "/a/a/logs/" + (&url.URL{Path: c.Text}).EscapedPath()
			if status, page := b.get(strings.ReplaceAll(path, "/./", "/%2e/")); status == http.StatusOK {
				checkHostile(t, "the name "+c.Name, page)
			}
		}
		if len(c.Text) < 1000 {
			_, page := b.get(address("/a/a/logs/l", "q", c.Text))
			checkHostile(t, "the text "+c.Name, page)
			_, page = b.get(address("/a/a/logs/l", "author", c.Text))
			checkHostile(t, "the author "+c.Name, page)
		}
		_, page := b.get(address("/a/a/search", "q", c.Text, "as", "exact", "prefix", c.Text))
		checkHostile(t, "the search for "+c.Name, page)
		_, page = b.get(address("/search", "q", c.Text, "as", "regexp", "kind", c.Text))
		checkHostile(t, "the search for "+c.Name, page)
	}
	for next := "/a/a/logs/l"; next != ""; {
		_, page := b.get(next)
		checkHostile(t, next, page)
		next = parseLog(t, page).older
	}
	_, page := b.get("/a/a/search?q=hostile")
	if checkHostile(t, "search", page); testkit.Long() && (len(hitsOf(t, page)) < 20 || names < 20) {
		t.Errorf("%d hits and %d names, want more", len(hitsOf(t, page)), names)
	}
	_, page = b.get("/a/a/logs/l?view=trim&through=20")
	checkHostile(t, "trim", page)
}
