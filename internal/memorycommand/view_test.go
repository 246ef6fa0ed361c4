package memorycommand_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const listHeader = "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n"

func TestViewFolder(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{},
		"a/b/c/d", "12345", "a/b/e", "123", "a/.secret/x", "1234567", "a/z", "",
		"a.b", strings.Repeat("x", 1024), "a-b", strings.Repeat("x", 1536),
		".hidden/x", "1", ".dot", "1", "node_modules/pkg/index", "1", "n/node_modules/x", "12", "n/node_modulesx", "1234",
	)
	for _, c := range []struct{ path, want string }{
		{"/memories", "2.5K\t/memories\n15B\t/memories/a/\n8B\t/memories/a/b/\n0B\t/memories/a/z\n1.5K\t/memories/a-b\n1.0K\t/memories/a.b\n6B\t/memories/n/\n4B\t/memories/n/node_modulesx"},
		{"/memories/a", "15B\t/memories/a\n8B\t/memories/a/b/\n5B\t/memories/a/b/c/\n3B\t/memories/a/b/e\n0B\t/memories/a/z"},
		{"/memories/a/", "15B\t/memories/a/\n8B\t/memories/a/b/\n5B\t/memories/a/b/c/\n3B\t/memories/a/b/e\n0B\t/memories/a/z"},
		{"/memories/.hidden", "1B\t/memories/.hidden\n1B\t/memories/.hidden/x"},
		{"/memories/node_modules", "1B\t/memories/node_modules\n1B\t/memories/node_modules/pkg/\n1B\t/memories/node_modules/pkg/index"},
	} {
		if got, want := run(t, ws, "view", "path", c.path), fmt.Sprintf(listHeader, c.path)+c.want; got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.path, got, want)
		}
	}
	if got := run(t, ws, "view", "path", "/memories/.dot"); got != "Here's the content of /memories/.dot with line numbers:\n     1\t1" {
		t.Errorf("a hidden file: %q", got)
	}
}

// Other programs can write a file and below it. Both can be seen.
func TestViewFileThatIsAFolder(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "a", "1", "a/b", "22")
	for path, want := range map[string]string{
		"/memories":    fmt.Sprintf(listHeader, "/memories") + "3B\t/memories\n1B\t/memories/a\n2B\t/memories/a/\n2B\t/memories/a/b",
		"/memories/a":  "Here's the content of /memories/a with line numbers:\n     1\t1",
		"/memories/a/": fmt.Sprintf(listHeader, "/memories/a/") + "2B\t/memories/a/\n2B\t/memories/a/b",
	} {
		if got := run(t, ws, "view", "path", path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

var next = regexp.MustCompile(`view_range \[(\d+), (-?\d+)\]\.$`)

// readOn views a path, and then what each hint says, and returns all lines.
func readOn(t *testing.T, ws *workspace.Workspace, path string) (all []string, views int) {
	t.Helper()
	members := []any{"path", path}
	for {
		text := run(t, ws, "view", members...)
		views++
		if n := utf8.RuneCountInString(text); n > 16_000 {
			t.Fatalf("view %d has %d characters", views, n)
		}
		lines := strings.Split(text, "\n")[1:]
		hint := next.FindStringSubmatch(text)
		if hint == nil {
			return append(all, lines...), views
		}
		all = append(all, lines[:len(lines)-2]...)
		first, _ := strconv.Atoi(hint[1])
		last, _ := strconv.Atoi(hint[2])
		members = []any{"path", path, "view_range", []int{first, last}}
		if views > 100 {
			t.Fatal("the hints do not end")
		}
	}
}

// A long view is cut, and the hints lead through all of it.
func TestLongView(t *testing.T) {
	testkit.SkipInShort(t)
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d is ü\n", i+1)
	}
	ws := newWorkspace(t, workspace.Options{}, "f", long.String())
	got, views := readOn(t, ws, "/memories/f")
	if len(got) != 3001 || got[2999] != "  3000\tline 3000 is ü" || views < 4 {
		t.Errorf("%d lines in %d views, the last %q", len(got), views, got[len(got)-1])
	}
	for i, line := range got[:3000] {
		if want := fmt.Sprintf("%6d\tline %d is ü", i+1, i+1); line != want {
			t.Fatalf("line %d: %q", i+1, line)
		}
	}
	var files []string
	for i := range 900 {
		files = append(files, fmt.Sprintf("folder/file-%04d", i), "")
	}
	got, views = readOn(t, newWorkspace(t, workspace.Options{}, files...), "/memories")
	if len(got) != 902 || got[901] != "0B\t/memories/folder/file-0899" || views < 2 {
		t.Errorf("%d lines of the list in %d views", len(got), views)
	}
}

// A view of exactly 16,000 characters is whole.
func TestViewThatFits(t *testing.T) {
	room := 16_000 - len("Here's the content of /memories/f with line numbers:\n     1\t")
	for _, extra := range []int{0, 1} {
		ws := newWorkspace(t, workspace.Options{}, "f", strings.Repeat("ü", room+extra))
		text := run(t, ws, "view", "path", "/memories/f")
		whole := strings.HasSuffix(text, strings.Repeat("ü", 100))
		if n := utf8.RuneCountInString(text); n > 16_000 || whole != (extra == 0) {
			t.Errorf("%d more: %d characters, whole %v", extra, n, whole)
		}
	}
}

// A line that is longer than a view ends early, and the view says what to do.
func TestLongLine(t *testing.T) {
	testkit.SkipInShort(t)
	ws := newWorkspace(t, workspace.Options{}, "f", "short\n"+strings.Repeat("ü", 100_000)+"\nlast")
	text := run(t, ws, "view", "path", "/memories/f")
	if !strings.HasSuffix(text, "\n     1\tshort\n\nThese are lines 1 to 1 of 3. View the next with view_range [2, 3].") {
		t.Errorf("before the line: %.200q", text)
	}
	text = run(t, ws, "view", "path", "/memories/f", "view_range", []int{2, -1})
	if !strings.Contains(text, "\n     2\tüüü") || !strings.HasSuffix(text, "ü\n\nLine 2 is longer than a view and ends early. str_replace can break it into several lines. View the lines after it with view_range [3, 3].") {
		t.Errorf("the line: ...%q", text[len(text)-300:])
	}
	text = run(t, ws, "str_replace", "path", "/memories/f", "old_str", "short\n", "new_str", "")
	if n := utf8.RuneCountInString(text); n > 16_000 {
		t.Errorf("the snippet has %d characters", n)
	}
	if err := run(t, ws, "str_replace", "path", "/memories/f", "old_str", strings.Repeat("x", 1<<20)); utf8.RuneCountInString(err) > 16_000 {
		t.Errorf("the error has %d bytes", len(err))
	}
}
