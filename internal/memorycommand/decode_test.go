package memorycommand_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// What the decoders of the SDKs would take for something else is refused.
func TestStrictInput(t *testing.T) {
	testkit.SkipInShort(t)
	const names = "command, path, view_range, file_text, old_str, new_str, insert_line, insert_text, old_path, new_path"
	for in, want := range map[string]string{
		``:                                      "the input is not valid JSON",
		`{`:                                     "the input is not valid JSON",
		`null`:                                  "the arguments must be a JSON object, such as {}",
		`{}`:                                    "argument command is missing; give it as a string",
		`{"command":null}`:                      "argument command must be a string, not null",
		`{"command":[]}`:                        `unknown command "[]"; give one of view, create, str_replace, insert, delete, rename`,
		`{"command":"undo"}`:                    `unknown command "undo"; give one of view, create, str_replace, insert, delete, rename`,
		`{"command":"View"}`:                    `unknown command "View"; give one of view, create, str_replace, insert, delete, rename`,
		`{"command":"view"}`:                    "view needs path, which is missing; give a string",
		`{"command":"view","Path":"/memories"}`: "unknown argument Path; it is spelled path",
		`{"command":"view","path":"/memories","x":null}`:                               "unknown argument x; allowed are " + names,
		`{"command":"view","path":"/memories","file_text":""}`:                         "view takes no file_text; leave it out",
		`{"command":"view","path":2}`:                                                  `The path /memories/2 does not exist. Please provide a valid path.`,
		`{"command":"view","path":"/memories","view_range":[]}`:                        `view_range must be two whole numbers, such as [1, 20] or [21, -1], not "[]"`,
		`{"command":"view","path":"/memories","view_range":[1,2.7]}`:                   `view_range must be two whole numbers, such as [1, 20] or [21, -1], not "[1,2.7]"`,
		`{"command":"view","path":"/memories","view_range":"1-2"}`:                     `view_range must be two whole numbers, such as [1, 20] or [21, -1], not "\"1-2\""`,
		`{"command":"create","path":"/memories/a"}`:                                    "create needs file_text, which is missing; give a string",
		`{"command":"insert","path":"/memories/f","insert_line":2.7,"insert_text":""}`: `argument insert_line must be a whole number up to 2^53, not 2.7`,
		`{"command":"str_replace","path":"/memories/f","old_str":""}`:                  "old_str is empty; give the text to replace, or use insert",
		`{"command":"rename","old_path":"/memories/f","path":"/memories/g"}`:           "rename takes no path; leave it out",
	} {
		ws := newWorkspace(t, workspace.Options{}, "f", "a")
		if got, isError := memorycommand.Run(t.Context(), ws, json.RawMessage(in), memorycommand.Options{}); got != want || !isError {
			t.Errorf("%s:\ngot  %q\nwant %q", in, got, want)
		}
		if content(t, ws, "f") != "a" {
			t.Errorf("%s changed the file", in)
		}
	}
}

// Clients convert values below the model: a number becomes a text, and a text that is JSON
// becomes an object.
func TestTypesThatClientsSend(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"insert","path":"/memories/f","insert_line":"1","insert_text":"x"}`:                    "a\nx\nb",
		`{"command":"insert","path":"/memories/f","insert_line":"1.0","insert_text":7}`:                    "a\n7\nb",
		`{"command":"str_replace","path":"/memories/f","old_str":"a","new_str":["b", 1.50]}`:               `["b", 1.50]` + "\nb",
		`{"command":"str_replace","path":"/memories/f","old_str":"a","new_str":true}`:                      "true\nb",
		`{"command":"insert","path":"/memories/f","insert_line":0,"insert_text":{ "k" : {"x":"\u00e9"} }}`: `{ "k" : {"x":"\u00e9"} }` + "\na\nb",
	} {
		ws := newWorkspace(t, workspace.Options{}, "f", "a\nb")
		if got, isError := memorycommand.Run(t.Context(), ws, json.RawMessage(in), memorycommand.Options{}); isError || content(t, ws, "f") != want {
			t.Errorf("%s: %q, the file is %q, want %q", in, got, content(t, ws, "f"), want)
		}
	}
	ws := newWorkspace(t, workspace.Options{}, "f", "a\nb\nc")
	want := run(t, ws, "view", "path", "/memories/f", "view_range", []int{2, -1})
	for _, lines := range []string{`"[2, -1]"`, `" [2,-1] "`, `["2","-1"]`, `"[\"2\", \"-1\"]"`, `[2.0,-1]`} {
		in := `{"command":"view","path":"/memories/f","view_range":` + lines + `}`
		if got, isError := memorycommand.Run(t.Context(), ws, json.RawMessage(in), memorycommand.Options{}); isError || got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// Providers that always send all members send null for those that a command does not take.
func TestNullMembers(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{}, "f", "a\nb")
	in := ` {"command":"insert","p\u0061th":"/memories/f","view_range":null,"file_text":null,"old_str":null,"insert_line":1.0,"insert_text":"x"} `
	if got, isError := memorycommand.Run(t.Context(), ws, json.RawMessage(in), memorycommand.Options{}); isError || content(t, ws, "f") != "a\nx\nb" {
		t.Errorf("got %q", got)
	}
}

func TestInputTooLarge(t *testing.T) {
	testkit.SkipInShort(t)
	ws := newWorkspace(t, workspace.Options{})
	in := json.RawMessage(`{"command":"create","path":"/memories/a","file_text":"` + strings.Repeat("x", memorycommand.MaxInput) + `"}`)
	got, isError := memorycommand.Run(t.Context(), ws, in, memorycommand.Options{})
	if want := fmt.Sprintf("the input has %d bytes, limit 16777216; write the text in several commands", len(in)); got != want || !isError {
		t.Errorf("got %.200q", got)
	}
}

func TestHostilePaths(t *testing.T) {
	testkit.SkipInShort(t)
	for _, path := range []string{
		"", "/", "/memories/..", "/memories/../x", "/memories/a/../../x", "/memories/..\\x", "/memories\\x", "/memories/a\\b",
		"/memories/%2e%2e%2fx", "/memories/%2E./x", "/memories//a", "/memories/./a", "/memories/a//", "/memories/a\x00b", "/memories/a\nb", "/etc/../x", "~/x", "//memories/a",
		"/memories/" + strings.Repeat("a", 256), "/memories/ä", "/memories/a b", "/memories/scratchpad://x", "/memories/~", "/memories/\u202e", "/memories/a..b", "C:\\memories", "/memories/",
	} {
		ws := newWorkspace(t, workspace.Options{}, "a", "x", "x", "y")
		for _, members := range [][]any{
			{"view", "path", path}, {"create", "path", path, "file_text", "evil"}, {"str_replace", "path", path, "old_str", "x", "new_str", "evil"},
			{"insert", "path", path, "insert_line", 0, "insert_text", "evil"}, {"delete", "path", path},
			{"rename", "old_path", path, "new_path", "/memories/new"}, {"rename", "old_path", "/memories/a", "new_path", path},
		} {
			got := run(t, ws, members[0].(string), members[1:]...)
			if !strings.HasPrefix(got, "[error] ") && (path != "/memories/" && path != "/" && path != "" || members[0] != "view") {
				t.Errorf("%q: %q", members, got)
			}
			leaves := strings.Contains(path, "..") && strings.HasPrefix(path, "/memories/") && !strings.Contains(path, "\\")
			if strings.Contains(got, "internal error") || leaves && !strings.Contains(got, `holds "..";`) {
				t.Errorf("%q: %q", members, got)
			}
		}
		if content(t, ws, "a") != "x" || content(t, ws, "x") != "y" {
			t.Errorf("%q changed a file", path)
		}
	}
}

// A path that cannot be says what is wrong with it.
func TestHostilePathsAreExplained(t *testing.T) {
	for path, cause := range map[string]string{
		"/memories/a\x00b": "U+0000", `/memories/a\b`: `'\\'`, "/memories/../x": `holds ".."`, "/memories/%2E%2e/x": "'%'",
		"/memories//a": "slash", "/memories/./a": `"."`, "/memories/a//": "slash",
		"/memories/a/": "is a folder; name a file in it", "/memories/~/a": "does not reach ~/",
	} {
		ws := newWorkspace(t, workspace.Options{}, "a", "x")
		if got := run(t, ws, "create", "path", path, "file_text", "evil"); !strings.HasPrefix(got, "[error] ") || !strings.Contains(got, cause) {
			t.Errorf("create %q: %q, want %q", path, got, cause)
		}
		if got := run(t, ws, "str_replace", "path", path, "old_str", "x", "new_str", "evil"); !strings.HasPrefix(got, "[error] ") || content(t, ws, "a") != "x" {
			t.Errorf("str_replace %q: %q", path, got)
		}
	}
}

// The characters of paths are those that the workspace allows.
func TestUnicodePaths(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Paths: workspace.UnicodePaths})
	if got := run(t, ws, "create", "path", "/memories/notes/e\u0301t\u00e9 1.md", "file_text", "x"); got != "File created successfully at: /memories/notes/e\u0301t\u00e9 1.md" {
		t.Error(got)
	}
	for _, members := range [][]any{
		{"create", "path", "/memories/notes/e\u0301t\u00e9 1.md", "file_text", "x"}, {"rename", "old_path", "/memories/notes/e\u0301t\u00e9 1.md", "new_path", "/memories/notes/\u00e9t\u00e9 1.md"},
	} {
		if got := run(t, ws, members[0].(string), members[1:]...); !strings.HasPrefix(got, "[error] Error: ") || !strings.HasSuffix(got, "already exists") {
			t.Error(got)
		}
	}
	run(t, ws, "create", "path", "/memories/e\u0301/f", "file_text", "x")
	if got := run(t, ws, "view", "path", "/memories/e\u0301"); !strings.HasSuffix(got, "\n1B\t/memories/e\u0301\n1B\t/memories/e\u0301/f") {
		t.Error(got)
	}
	if got := run(t, ws, "view", "path", "/memories/notes"); !strings.HasSuffix(got, "\n1B\t/memories/notes/\u00e9t\u00e9 1.md") {
		t.Error(got)
	}
	ascii := newWorkspace(t, workspace.Options{})
	for want, members := range map[string][]any{
		"/memories/é does not exist": {"view", "path", "/memories/é"},
		"\"/memories/é\": byte 1 is 'é'; allowed are a-z A-Z 0-9 / _ . -; use those only: invalid": {"create", "path", "/memories/é", "file_text", ""},
	} {
		if got := run(t, ascii, members[0].(string), members[1:]...); !strings.HasPrefix(got, "[error] ") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The schema is JSON, and has the members that commands take.
func TestInputSchema(t *testing.T) {
	var s struct {
		Type       string
		Properties map[string]struct{ Type string }
		Required   []string
	}
	testkit.Must(t, json.Unmarshal(memorycommand.InputSchema(), &s))
	if s.Type != "object" || len(s.Properties) != 10 || len(s.Required) != 1 || s.Properties["insert_line"].Type != "integer" {
		t.Errorf("%+v", s)
	}
}

// documented are the errors of the documentation that begin with "Error: ".
var documented = []string{"Error: The path ", "Error: File ", "Error: Invalid `insert_line` parameter: ", "Error: The destination "}

// FuzzCommand runs any input. An answer is text within the limit, and an error changes
// nothing.
func FuzzCommand(f *testing.F) {
	for _, in := range []json.RawMessage{
		input("view", "path", "/memories", "view_range", []int{1, -1}), input("create", "path", "/memories/a/b", "file_text", "x\n"),
		input("str_replace", "path", "/memories/d/f", "old_str", "two", "new_str", nil), input("insert", "path", "/memories/f", "insert_line", 1, "insert_text", "x"),
		input("delete", "path", "/memories/d/"), input("rename", "old_path", "/memories/d", "new_path", "/memories/e"),
		json.RawMessage(`{"command":"view","path":"\ud83d\ude00","path":1e400}`), json.RawMessage(`{"command":"insert","insert_line":-0.0}`),
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		ws := newWorkspace(t, workspace.Options{}, "f", "one\ntwo\n", "d/f", "two")
		before := string(in)
		text, isError := memorycommand.Run(t.Context(), ws, in, memorycommand.Options{})
		if string(in) != before {
			t.Error("the input was changed")
		}
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > 20_000 || text == "" || text == "internal error" {
			t.Errorf("the answer is %.100q", text)
		}
		u, err := ws.Usage(t.Context())
		testkit.Must(t, err)
		if isError && (u.Files != 2 || content(t, ws, "f") != "one\ntwo\n" || content(t, ws, "d/f") != "two") {
			t.Errorf("%q changed files", text)
		}
		if isError && strings.HasPrefix(text, "Error: ") {
			for _, d := range documented {
				if strings.HasPrefix(text, d) {
					return
				}
			}
			t.Errorf("not documented: %q", text)
		}
	})
}
