package memorycommand_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// What an edit does not name stays as it was, to the byte.
func TestEditKeepsBytes(t *testing.T) {
	replace := func(members ...any) []any { return append([]any{"str_replace"}, members...) }
	insert := func(line int, text string) []any { return []any{"insert", "insert_line", line, "insert_text", text} }
	for _, c := range []struct {
		name, before string
		command      []any
		after        string
	}{
		{"no final newline", "a\nb", replace("old_str", "a", "new_str", "c"), "c\nb"},
		{"CRLF", "a\r\nb\r\n", replace("old_str", "b", "new_str", "c"), "a\r\nc\r\n"},
		{"NUL", "a\x00b\n\x00", replace("old_str", "b", "new_str", "\x00c"), "a\x00\x00c\n\x00"},
		{"several lines", "a\nb\nc\n", replace("old_str", "a\nb\n", "new_str", "x\ny\nz\n"), "x\ny\nz\nc\n"},
		{"no new_str", "a b c", replace("old_str", " b"), "a c"},
		{"null new_str", "a b c", replace("old_str", " b", "new_str", nil), "a c"},
		{"all of it", "a", replace("old_str", "a", "new_str", ""), ""},
		{"dollars", "a", replace("old_str", "a", "new_str", "$& $1"), "$& $1"},
		{"no Unicode forms", "e\u0301 \u00e9", replace("old_str", "\u00e9", "new_str", "x"), "e\u0301 x"},
		{"at the top", "a\nb", insert(0, "x"), "x\na\nb"},
		{"between, with a newline", "a\nb", insert(1, "x\n"), "a\nx\nb"},
		{"two newlines", "a\nb", insert(1, "x\n\n"), "a\nx\n\nb"},
		{"nothing", "a\nb", insert(1, ""), "a\n\nb"},
		{"at the end, no final newline", "a\nb", insert(2, "x\n"), "a\nb\nx"},
		{"at the end", "a\nb\n", insert(2, "x"), "a\nb\nx\n"},
		{"after the empty line", "a\nb\n", insert(3, "x"), "a\nb\n\nx"},
		{"empty file", "", insert(0, "x"), "x\n"},
		{"after the only line of an empty file", "", insert(1, "x"), "\nx"},
		{"CRLF and NUL", "a\r\n\x00b", insert(1, "x\r\n"), "a\r\nx\r\n\x00b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := newWorkspace(t, workspace.Options{}, "f", c.before)
			got := run(t, ws, c.command[0].(string), append([]any{"path", "/memories/f"}, c.command[1:]...)...)
			if strings.HasPrefix(got, "[error]") {
				t.Fatal(got)
			}
			if got := content(t, ws, "f"); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	const header = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"
	for _, c := range []struct{ before, old, new, want string }{
		{ten, "5", "x", "\n     3\t3\n     4\t4\n     5\tx\n     6\t6\n     7\t7"},
		{ten, "1\n", "x\n", "\n     1\tx\n     2\t2\n     3\t3"},
		{ten, "10", "x", "\n     8\t8\n     9\t9\n    10\tx"},
		{ten, "5", "x\ny\nz\nw", "\n     3\t3\n     4\t4\n     5\tx\n     6\ty\n     7\tz"},
		{ten, "4\n5\n6\n7", "", "\n     2\t2\n     3\t3\n     4\t\n     5\t8\n     6\t9"},
		{"a\n", "a\n", "b\n", "\n     1\tb\n     2\t"},
	} {
		ws := newWorkspace(t, workspace.Options{}, "f", c.before)
		if got := run(t, ws, "str_replace", "path", "/memories/f", "old_str", c.old, "new_str", c.new); got != header+c.want {
			t.Errorf("%q for %q: got %q", c.new, c.old, got)
		}
	}
}

func TestOccurrences(t *testing.T) {
	for _, c := range []struct{ content, old, lines string }{
		{"a a", "a", "1"},
		{"x\na\na a\nx\na", "a", "2, 3, 5"},
		{"a\nb\na\nb\n", "a\nb", "1, 3"},
		{"\n\n\n", "\n", "1, 2, 3"},
		{strings.Repeat("a\n", 1001), "a", "[1000]"},
	} {
		ws := newWorkspace(t, workspace.Options{}, "f", c.content)
		if strings.HasPrefix(c.lines, "[") {
			c.lines = strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers(1000)), " ", ", "), "[]") + ", ..."
		}
		want := fmt.Sprintf("[error] No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", c.old, c.lines)
		if got := run(t, ws, "str_replace", "path", "/memories/f", "old_str", c.old, "new_str", "b"); got != want {
			t.Errorf("got %q", got)
		}
		if got := content(t, ws, "f"); got != c.content {
			t.Errorf("the file was changed: %q", got)
		}
	}
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// Agents that edit one file at the same time keep each other's changes.
func TestEditsAtOnce(t *testing.T) {
	const agents, edits = 4, 25
	var before strings.Builder
	for a := range agents {
		for e := range edits {
			fmt.Fprintf(&before, "<%d.%d>\n", a, e)
		}
	}
	ws := newWorkspace(t, workspace.Options{}, "f", before.String())
	var wg sync.WaitGroup
	for a := range agents {
		wg.Go(func() {
			for e := range edits {
				for _, got := range []string{
					run(t, ws, "str_replace", "path", "/memories/f", "old_str", fmt.Sprintf("<%d.%d>", a, e), "new_str", fmt.Sprintf("(%d.%d)", a, e)),
					run(t, ws, "insert", "path", "/memories/f", "insert_line", 0, "insert_text", fmt.Sprintf("[%d.%d]", a, e)),
				} {
					if strings.HasPrefix(got, "[error]") {
						t.Error(got)
					}
				}
			}
		})
	}
	wg.Wait()
	after := content(t, ws, "f")
	for a := range agents {
		for e := range edits {
			for _, want := range []string{fmt.Sprintf("(%d.%d)\n", a, e), fmt.Sprintf("[%d.%d]\n", a, e)} {
				if strings.Count(after, want) != 1 {
					t.Fatalf("%q was lost in %q", want, after)
				}
			}
		}
	}
	r, err := ws.ReadFile(context.Background(), "f", workspace.ReadOptions{})
	if err != nil || r.Version != 1+2*agents*edits {
		t.Errorf("version %d, %v: each command is a version", r.Version, err)
	}
}

// Of many who create or rename to one path, one succeeds.
func TestCreateAtOnce(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "a/1", "", "a/2", "", "a/3", "")
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			var got string
			switch i % 4 {
			case 0:
				got = run(t, ws, "create", "path", "/memories/new", "file_text", fmt.Sprint(i))
			case 1:
				got = run(t, ws, "create", "path", "/memories/new/below", "file_text", fmt.Sprint(i))
			default:
				got = run(t, ws, "rename", "old_path", fmt.Sprintf("/memories/a/%d", 1+i%3), "new_path", "/memories/new")
			}
			if !strings.HasPrefix(got, "[error]") {
				mu.Lock()
				defer mu.Unlock()
				if won++; strings.Contains(got, "below") {
					won += 100
				}
			}
		})
	}
	wg.Wait()
	isFile, isFolder := content(t, ws, "new") != "[none]", content(t, ws, "new/below") != "[none]"
	if isFile == isFolder || won%100 != 1 {
		// Several creations of new/below cannot both succeed either: it is one file.
		t.Errorf("%d won; file %v, folder %v", won, isFile, isFolder)
	}
}

func TestOverwrite(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "f", "before", "d/f", "x")
	o := memorycommand.Options{Overwrite: true}
	if text, isError := memorycommand.Run(t.Context(), ws, input("create", "path", "/memories/f", "file_text", "after"), o); isError || content(t, ws, "f") != "after" {
		t.Errorf("a file: %q", text)
	}
	for _, path := range []string{"/memories/d", "/memories/f/g"} {
		if text, isError := memorycommand.Run(t.Context(), ws, input("create", "path", path, "file_text", "after"), o); !isError {
			t.Errorf("%s: %q", path, text)
		}
	}
}

// Errors of the workspace say the way out, in the tool's terms.
func TestErrorsOfTheWorkspace(t *testing.T) {
	o := workspace.Options{Limits: workspace.Limits{FileBytes: 10, Files: 2}}
	for _, c := range []struct {
		command string
		members []any
		want    string
	}{
		{"create", []any{"path", "/memories/new", "file_text", "x"}, "[error] write /memories/new: file limit reached (2 of 2), this write adds 1; delete files that are not needed: quota exceeded"},
		{"create", []any{"path", "/memories/d/new", "file_text", "12345678901"}, "[error] write /memories/d/new: 11 bytes, limit 10; split it into several files: too large"},
		{"insert", []any{"path", "/memories/d/a", "insert_line", 0, "insert_text", "1234567890"}, "[error] update /memories/d/a: 12 bytes, limit 10; split it into several files: too large"},
		{"create", []any{"path", "/memories/d/a/b", "file_text", "x"}, `[error] path /memories/d/a/b lies below "/memories/d/a", which is a file; give another path, or rename that file first`},
		{"rename", []any{"old_path", "/memories/b", "new_path", "/memories/d/a/b"}, `[error] new_path /memories/d/a/b lies below "/memories/d/a", which is a file; give another path, or rename that file first`},
	} {
		ws := newWorkspace(t, o, "d/a", "1", "b", "2")
		if got := run(t, ws, c.command, c.members...); got != c.want {
			t.Errorf("%s %v:\ngot  %q\nwant %q", c.command, c.members, got, c.want)
		}
	}
	ws := newWorkspace(t, o, "d/a", "1")
	if got := run(t, ws, "rename", "old_path", "/memories/d", "new_path", "/memories/d/e"); !strings.HasPrefix(got, "[error] ") || strings.Contains(got, "Error: ") {
		t.Errorf("into itself: %q", got)
	}
}
