package memorycommand_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// newWorkspace returns the workspace of an agent with files, which are given as a path
// and a content by turns.
func newWorkspace(t testing.TB, o workspace.Options, files ...string) *workspace.Workspace {
	t.Helper()
	store := memstore.New()
	svc, err := workspace.New(store, o)
	testkit.Must(t, err)
	t.Cleanup(func() {
		svc.Close(context.Background())
		store.Close()
	})
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	for i := 0; i < len(files); i += 2 {
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), files[i], []byte(files[i+1]), workspace.WriteOptions{})))
	}
	return ws
}

// input returns a command as JSON. Its members are given as a name and a value by turns.
func input(command string, members ...any) json.RawMessage {
	m := map[string]any{"command": command}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

func run(t testing.TB, ws *workspace.Workspace, command string, members ...any) string {
	t.Helper()
	text, isError := memorycommand.Run(t.Context(), ws, input(command, members...), memorycommand.Options{})
	if isError {
		return "[error] " + text
	}
	return text
}

func content(t testing.TB, ws *workspace.Workspace, path string) string {
	t.Helper()
	r, err := ws.ReadFile(context.Background(), path, workspace.ReadOptions{})
	if errors.Is(err, workspace.ErrNotFound) {
		return "[none]"
	}
	testkit.Must(t, err)
	return string(r.Content)
}

// The texts are those of the documentation, to the letter.
func TestDocumentedTexts(t *testing.T) {
	testkit.SkipInShort(t)
	notes := []string{"notes.txt", "Hello World\nThis is line two", "team/a.md", "one\ntwo\none\n", "team/b.md", ""}
	const header = "Here's the content of /memories/notes.txt with line numbers:\n"
	for _, c := range []struct {
		command string
		members []any
		want    string
	}{
		{"view", []any{"path", "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
			"40B\t/memories\n28B\t/memories/notes.txt\n12B\t/memories/team/\n12B\t/memories/team/a.md\n0B\t/memories/team/b.md"},
		{"view", []any{"path", "/memories/notes.txt"}, header + "     1\tHello World\n     2\tThis is line two"},
		{"view", []any{"path", "/memories/notes.txt", "view_range", []int{2, 2}}, header + "     2\tThis is line two"},
		{"view", []any{"path", "/memories/notes.txt", "view_range", []int{1, -1}}, header + "     1\tHello World\n     2\tThis is line two"},
		{"view", []any{"path", "/memories/no"}, "[error] The path /memories/no does not exist. Please provide a valid path."},
		{"create", []any{"path", "/memories/new.txt", "file_text", "x"}, "File created successfully at: /memories/new.txt"},
		{"create", []any{"path", "/memories/notes.txt", "file_text", "x"}, "[error] Error: File /memories/notes.txt already exists"},
		{"create", []any{"path", "/memories/team", "file_text", "x"}, "[error] Error: File /memories/team already exists"},
		{"str_replace", []any{"path", "/memories/notes.txt", "old_str", "World", "new_str", "there"},
			"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tHello there\n     2\tThis is line two"},
		{"str_replace", []any{"path", "/memories/no", "old_str", "a", "new_str", "b"}, "[error] Error: The path /memories/no does not exist. Please provide a valid path."},
		{"str_replace", []any{"path", "/memories/team", "old_str", "a", "new_str", "b"}, "[error] Error: The path /memories/team does not exist. Please provide a valid path."},
		{"str_replace", []any{"path", "/memories/notes.txt", "old_str", "hello", "new_str", "b"}, "[error] No replacement was performed, old_str `hello` did not appear verbatim in /memories/notes.txt."},
		{"str_replace", []any{"path", "/memories/team/a.md", "old_str", "one", "new_str", "b"}, "[error] No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique"},
		{"insert", []any{"path", "/memories/notes.txt", "insert_line", 1, "insert_text", "x"}, "The file /memories/notes.txt has been edited."},
		{"insert", []any{"path", "/memories/no", "insert_line", 1, "insert_text", "x"}, "[error] Error: The path /memories/no does not exist"},
		{"insert", []any{"path", "/memories/team", "insert_line", 1, "insert_text", "x"}, "[error] Error: The path /memories/team does not exist"},
		{"insert", []any{"path", "/memories/notes.txt", "insert_line", 3, "insert_text", "x"}, "[error] Error: Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]"},
		{"insert", []any{"path", "/memories/notes.txt", "insert_line", -1, "insert_text", "x"}, "[error] Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 2]"},
		{"delete", []any{"path", "/memories/notes.txt"}, "Successfully deleted /memories/notes.txt"},
		{"delete", []any{"path", "/memories/team"}, "Successfully deleted /memories/team"},
		{"delete", []any{"path", "/memories/no"}, "[error] Error: The path /memories/no does not exist"},
		{"delete", []any{"path", "/memories"}, "[error] Cannot delete the /memories directory itself"},
		{"rename", []any{"old_path", "/memories/team", "new_path", "/memories/done"}, "Successfully renamed /memories/team to /memories/done"},
		{"rename", []any{"old_path", "/memories/team/a.md", "new_path", "/memories/x/a.md"}, "Successfully renamed /memories/team/a.md to /memories/x/a.md"},
		{"rename", []any{"old_path", "/memories/no", "new_path", "/memories/done"}, "[error] Error: The path /memories/no does not exist"},
		{"rename", []any{"old_path", "/memories/team", "new_path", "/memories/notes.txt"}, "[error] Error: The destination /memories/notes.txt already exists"},
		{"rename", []any{"old_path", "/memories/notes.txt", "new_path", "/memories/team"}, "[error] Error: The destination /memories/team already exists"},
		{"rename", []any{"old_path", "/memories", "new_path", "/memories/x"}, "[error] Cannot rename the /memories directory itself"},
	} {
		t.Run(fmt.Sprint(c.command, c.members), func(t *testing.T) {
			ws := newWorkspace(t, workspace.Options{}, notes...)
			if got := run(t, ws, c.command, c.members...); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// The root exists without any file.
func TestEmptyRoot(t *testing.T) {
	const want = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories"
	if got := run(t, newWorkspace(t, workspace.Options{}), "view", "path", "/memories"); got != want {
		t.Errorf("got %q", got)
	}
}

// More lines than a number of six digits can count are not shown.
func TestTooManyLines(t *testing.T) {
	testkit.SkipInShort(t)
	ws := newWorkspace(t, workspace.Options{}, "a", strings.Repeat("\n", 999_998), "b", strings.Repeat("\n", 999_999))
	if got := run(t, ws, "view", "path", "/memories/a", "view_range", []int{999_999, -1}); got != "Here's the content of /memories/a with line numbers:\n999999\t" {
		t.Errorf("the last line that can be shown: %q", got)
	}
	if got := run(t, ws, "view", "path", "/memories/b"); got != "[error] File /memories/b exceeds maximum line limit of 999,999 lines." {
		t.Errorf("one line more: %q", got)
	}
}

// A path may stand without /memories, and the answer shows it in full.
func TestPathWithoutRoot(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "a/b", "x")
	for path, want := range map[string]string{
		"a/b": "/memories/a/b", "memories/a/b": "/memories/a/b", "/memories/a/b": "/memories/a/b", "a": "/memories/a", "memories": "/memories", "a/": "/memories/a/",
		"/a/b": "/memories/a/b", "": "\t/memories/a/b", "/": "\t/memories/a/b", ".": "\t/memories/a/b", "/.": "\t/memories/a/b",
	} {
		if got := run(t, ws, "view", "path", path); strings.HasPrefix(got, "[error]") || !strings.Contains(got, want) {
			t.Errorf("view of %s = %q", path, got)
		}
	}
	if got := run(t, ws, "create", "path", "c.md", "file_text", "y"); got != "File created successfully at: /memories/c.md" || content(t, ws, "c.md") != "y" {
		t.Error(got)
	}
	if got := run(t, ws, "create", "path", "/etc/passwd", "file_text", "y"); got != "File created successfully at: /memories/etc/passwd" {
		t.Error(got)
	}
	if got := run(t, ws, "create", "path", "~/style.md", "file_text", "y"); !strings.Contains(got, `"~/style.md" is not one of this tool, which does not reach ~/`) {
		t.Error(got)
	}
	if got := run(t, ws, "rename", "old_path", "c.md", "new_path", "d/e/c.md"); got != "Successfully renamed /memories/c.md to /memories/d/e/c.md" {
		t.Error(got)
	}
	for _, path := range []string{"../x", "a/%2e%2e/x", "/../etc/passwd", "memories/../x"} {
		if got := run(t, ws, "create", "path", path, "file_text", "y"); !strings.HasPrefix(got, "[error]") {
			t.Errorf("create %s = %q", path, got)
		}
	}
}

// Every command says that a path is a log.
func TestPathOfLog(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "ci/checks", []byte("x"))))
	for _, members := range [][]any{
		{"view", "path", "/memories/ci/checks"}, {"str_replace", "path", "ci/checks", "old_str", "x", "new_str", "y"},
		{"insert", "path", "ci/checks", "insert_line", 0, "insert_text", "y"}, {"delete", "path", "ci/checks"}, {"rename", "old_path", "ci/checks", "new_path", "y"},
	} {
		if got := run(t, ws, members[0].(string), members[1:]...); got != "[error] ci/checks is a log; this tool cannot read logs" {
			t.Errorf("%v = %q", members, got)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
