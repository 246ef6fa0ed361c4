package console_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// The page of an agent shows what its profile says, as text.
func TestProfile(t *testing.T) {
	svc, b := visited(t, newService(t))
	write(t, svc, "a", "a.md", "text")
	if _, page := b.get("/a/a"); strings.Contains(page, "archived") {
		t.Errorf("without a profile:\n%s", page)
	}
	_, err := svc.UpdateProfile(t.Context(), "a", func(workspace.Profile, bool) (workspace.Profile, error) {
		return workspace.Profile{Name: "Team <b>", Description: "Notes\u202e", Archived: time.Now()}, nil
	})
	testkit.Must(t, err)
	_, page := b.get("/a/a")
	for _, want := range []string{"<bdi>Team &lt;b&gt;</bdi></b>: Notes<span class=\"u\"", "This memory was archived <time"} {
		if !strings.Contains(page, want) || strings.Contains(page, "\u202e") {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// write stores a file.
func write(t *testing.T, svc *workspace.Service, agent, path, text string) {
	t.Helper()
	ws := must(svc.Agent(agent))(t)
	must(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{}))(t)
}

// Agents show the name of their project, unless it is their own.
func TestAgentsOfProjects(t *testing.T) {
	svc := newService(t)
	for _, agent := range []string{"shop", "shop-12ab34", "default"} {
		write(t, svc, agent, "a.md", "x")
	}
	b := open(t, console.Options{People: people{"ada": everybody(svc)},
		Project: func(_ context.Context, p console.Person, agent string) (string, error) {
			return map[string]string{"shop": "shop", "shop-12ab34": "acme/<shop>"}[agent], nil
		}}, "ada")
	_, page := b.get("/")
	if strings.Count(page, "acme/&lt;shop&gt;") != 1 || strings.Count(page, ` <span class="muted">`) != 1 {
		t.Errorf("not one agent has a project:\n%s", page)
	}
	if _, page := b.get("/a/shop-12ab34"); !strings.Contains(page, "Memory of the project <bdi>acme/&lt;shop&gt;") {
		t.Errorf("no project on the page of the agent:\n%s", page)
	}
}

func TestAgents(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t)
	for i := range 120 {
		write(t, svc, fmt.Sprintf("team-%d-%03d", i%2, i), "a.md", strings.Repeat("x", i))
	}
	all := everybody(svc)
	some := all
	some.ID, some.Admin, some.Agents = "bob", false, []string{"team-1-*"}
	some.Allow = func(agent string) bool { return strings.HasPrefix(agent, "team-1-") }
	none := all
	none.ID, none.Admin, none.Read = "eve", false, false
	b := open(t, console.Options{People: people{"ada": all, "bob": some, "eve": none}}, "ada")

	seen := 0
	for next := "/?order=name"; next != ""; {
		_, page := b.get(next)
		seen += strings.Count(page, "<tr data-item>")
		next = nextOf(page)
	}
	if seen != 120 {
		t.Errorf("all pages have %d agents, want 120", seen)
	}
	if _, page := b.get("/?order=size"); !strings.Contains(page, `<th scope="row"><a href="/a/team-1-119">`) {
		t.Errorf("by size:\n%s", page)
	}
	if _, page := b.get("/?q=TEAM-1-11"); strings.Count(page, "<tr data-item>") != 5 {
		t.Errorf("by a part of the name:\n%s", page)
	}
	if _, page := visit(t, b.url, "bob").get("/"); strings.Contains(page, "team-0") || !strings.Contains(page, "team-1") {
		t.Errorf("of a person with some of the agents:\n%s", page)
	}
	if status, page := visit(t, b.url, "").post("/signin", map[string][]string{"key": {"eve"}}); status != http.StatusForbidden || strings.Contains(page, "team-") {
		t.Errorf("of a person who may not read: %d\n%s", status, page)
	}
}

// nextOf returns the address of the next page, or "".
func nextOf(page string) string {
	_, link, found := strings.Cut(page, `<a class="btn" href="`)
	for found {
		address, rest, _ := strings.Cut(link, `"`)
		if strings.HasPrefix(rest, ` rel="next"`) {
			return strings.ReplaceAll(address, "&amp;", "&")
		}
		_, link, found = strings.Cut(rest, `<a class="btn" href="`)
	}
	return ""
}

var (
	treeFile   = regexp.MustCompile(`<li class="f" data-item><a href="/a/a/files/([^"]*)">`)
	treeFolder = regexp.MustCompile(`<details id="(d-[0-9a-f]+)"( open)?><summary data-item><bdi>([^<]*)</bdi> <span class="muted">([^<]*)</span>`)
)

// The tree has each file once, whatever the pages are.
func TestTreePages(t *testing.T) {
	testkit.SkipInShort(t)
	svc := must(workspace.New(memstore.New(), workspace.Options{Limits: workspace.Limits{Files: 20_000}}))(t)
	var want []string
	for i := range 2300 {
		want = append(want, fmt.Sprintf("all/%d/file-%04d.md", min(i/400, 3), i))
	}
	want = append(want, "root.md", "zoo/last.md")
	slices.Sort(want)
	ws := must(svc.Agent("a"))(t)
	for _, path := range want { // each by its own author
		must(ws.As(workspace.Author{Client: "by " + path}).WriteFile(t.Context(), path, []byte("x"), workspace.WriteOptions{}))(t)
	}
	b := open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")

	var got, folders []string
	for next, pages := "/a/a", 0; next != ""; pages++ {
		if pages > 3 {
			t.Fatal("the pages do not end")
		}
		_, page := b.get(next)
		for _, m := range treeFile.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		for _, m := range treeFolder.FindAllStringSubmatch(page, -1) {
			folders = append(folders, m[3]+m[2]+": "+m[4])
		}
		if !strings.Contains(page, ">by "+got[len(got)-1]+"<") {
			t.Errorf("%s does not have the author of %s", next, got[len(got)-1])
		}
		if !strings.Contains(page, []string{">1,000 of 2,302 files<", ">302 of 2,302 files<"}[pages/2]) {
			t.Errorf("%s does not say how many files it has", next)
		}
		next = nextOf(page)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the pages have %d files, want each of %d once", len(got), len(want))
	}
	wantFolders := []string{
		"all open: 1,000 files", "0: 400 files", "1: 400 files", "2: 200 files",
		"all open: 1,000 files", "2: 200 files", "3: 800 files",
		"all: 300 files", "3: 300 files", "zoo: 1 file",
	}
	if !slices.Equal(folders, wantFolders) {
		t.Errorf("the folders are\n%s\nwant\n%s", strings.Join(folders, "\n"), strings.Join(wantFolders, "\n"))
	}
}

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
