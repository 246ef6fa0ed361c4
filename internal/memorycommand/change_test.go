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

func TestManyOccurrences(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "f", strings.Repeat("a\n", 1001))
	got := run(t, ws, "str_replace", "path", "/memories/f", "old_str", "a", "new_str", "b")
	if !strings.Contains(got, "in lines: 1, 2, ") || !strings.HasSuffix(got, ", 999, 1000, .... Please ensure it is unique") {
		t.Errorf("got %q", got)
	}
}

// A text that is given with \n is found in a file with \r\n, as edit_file finds it.
func TestLineEndsOfFile(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "f", "a\r\nb\r\nc\r\n", "mixed", "a\r\nb\nc\na\nb\r\nc")
	got := run(t, ws, "str_replace", "path", "/memories/f", "old_str", "a\nb", "new_str", "x\ny\nz")
	if now := content(t, ws, "f"); now != "x\r\ny\r\nz\r\nc\r\n" {
		t.Errorf("%q: the file has %q", got, now)
	}
	got = run(t, ws, "str_replace", "path", "/memories/mixed", "old_str", "a\nb\nc", "new_str", "x")
	if !strings.HasPrefix(got, "[error]") || !strings.Contains(got, "line ends") {
		t.Error(got)
	}
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

// An answer says where a secret is. A refused one is not stored, and is not in the error.
func TestSecrets(t *testing.T) {
	const token = "glpat-" + "x7Kq2mVb9TzR4wYc1NsD"
	const note = "\nline 1 has a secret (GitLab token). A person can remove it: scratchpad files redact f --agent agent-1"
	warn := newWorkspace(t, workspace.Options{Secrets: workspace.SecretsWarn})
	if got := run(t, warn, "create", "path", "/memories/f", "file_text", token); got != "File created successfully at: /memories/f"+note {
		t.Errorf("create: %q", got)
	}
	if got := run(t, warn, "insert", "path", "/memories/f", "insert_line", 0, "insert_text", "x"); got != "The file /memories/f has been edited." {
		t.Errorf("insert beside a secret: %q", got)
	}
	if got := run(t, warn, "str_replace", "path", "/memories/f", "old_str", "x\n", "new_str", strings.Replace(token, "x", "y", 1)+"\n"); !strings.HasSuffix(got, note) {
		t.Errorf("str_replace: %q", got)
	}
	refuse := newWorkspace(t, workspace.Options{Secrets: workspace.SecretsRefuse}, "f", "x")
	for _, members := range [][]any{{"create", "path", "/memories/g", "file_text", token}, {"insert", "path", "/memories/f", "insert_line", 0, "insert_text", token}, {"str_replace", "path", "/memories/f", "old_str", "x", "new_str", token}} {
		got := run(t, refuse, members[0].(string), members[1:]...)
		if !strings.HasPrefix(got, "[error] ") || !strings.Contains(got, "line 1 has a secret (GitLab token), and secrets are refused here") || strings.Contains(got, token[8:]) {
			t.Errorf("%v: %q", members[0], got)
		}
	}
	if content(t, refuse, "f") != "x" {
		t.Errorf("a refused command has stored %q", content(t, refuse, "f"))
	}
}
