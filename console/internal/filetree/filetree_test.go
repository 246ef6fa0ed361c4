package filetree_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/filetree"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Folders are counted, come before files, and say where a page cuts them. Names are data.
func TestTree(t *testing.T) {
	v := workspace.FilesView{Following: "b/d/9.md"}
	for _, path := range []string{"a/1.md", "b/2.md", "b/c/3.md", "b/d/4.md", `"<i>.md`} {
		v.Files = append(v.Files, workspace.AuthoredFile{FileHead: workspace.FileHead{Path: path}})
	}
	root := filetree.New("a/0.md", v, func(path string) string { return "/of/" + path })
	page := string(filetree.HTML(root))
	for at, want := 0, []string{
		`<ul class="root">`, "<bdi>a</bdi>", "1 file here, more on the page before", `<a href="/of/a/1.md">`, "<bdi>b</bdi>", "3 files here, more on the next page",
		"<bdi>c</bdi>", "1 file<", `"/of/b/c/3.md"`, "<bdi>d</bdi>", "1 file here, more on the next page", `"/of/b/d/4.md"`, `"/of/b/2.md"`, `"/of/&#34;&lt;i&gt;.md"`,
	}; len(want) > 0; want = want[1:] {
		i := strings.Index(page[at:], want[0])
		if i < 0 {
			t.Fatalf("no %s after %d in\n%s", want[0], at, page)
		}
		at += i
	}
}
