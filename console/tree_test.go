package console_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

var (
	treeFile   = regexp.MustCompile(`<li class="f" data-item><a href="/a/a/files/([^"]*)">`)
	treeFolder = regexp.MustCompile(`<details id="(d-[0-9a-f]+)"( open)?><summary data-item><bdi>([^<]*)</bdi> <span class="muted">([^<]*)</span>`)
)

// writeAll stores many files, each by its own author.
func writeAll(t testing.TB, svc *workspace.Service, agent string, paths []string) {
	t.Helper()
	ws := must(svc.Agent(agent))(t)
	for _, path := range paths {
		must(ws.As(workspace.Author{Client: "by " + path}).WriteFile(t.Context(), path, []byte("x"), workspace.WriteOptions{}))(t)
	}
}

// The tree has each file once, whatever the pages are, and says of a folder that is cut
// that it is.
func TestTreePages(t *testing.T) {
	testkit.SkipInShort(t)
	svc := must(workspace.New(memstore.New(), workspace.Options{Limits: workspace.Limits{Files: 20_000}}))(t)
	var want []string
	for i := range 2300 {
		want = append(want, fmt.Sprintf("all/%d/file-%04d.md", min(i/400, 3), i))
	}
	want = append(want, "root.md", "zoo/last.md")
	slices.Sort(want)
	writeAll(t, svc, "a", want)
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
		"all open: 1,000 files here, more on the next page", "0: 400 files", "1: 400 files", "2: 200 files here, more on the next page",
		"all open: 1,000 files here, more before and after", "2: 200 files here, more on the page before", "3: 800 files here, more on the next page",
		"all: 300 files here, more on the page before", "3: 300 files here, more on the page before", "zoo: 1 file",
	}
	if !slices.Equal(folders, wantFolders) {
		t.Errorf("the folders are\n%s\nwant\n%s", strings.Join(folders, "\n"), strings.Join(wantFolders, "\n"))
	}
}
