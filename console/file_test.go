package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
