package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var written = time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)

// lay writes files below a folder, with one time.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
		testkit.Must(t, os.Chtimes(name, written, written))
	}
}

// got returns what a call has returned that must succeed.
func got[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T { t.Helper(); testkit.Must(t, err); return v }
}

// from imports the memory of a program from a folder, or from where it usually is.
func from(t *testing.T, ws *workspace.Workspace, name, folder string, around transfer.Surroundings) (transfer.Imported, error) {
	t.Helper()
	s, ok := transfer.FindSource(name)
	if !ok {
		t.Fatalf("there is no source %s", name)
	}
	find := func() (transfer.Place, error) { return s.Usual(around) }
	if folder != "" {
		find = func() (transfer.Place, error) { return s.Named(folder) }
	}
	p, err := find()
	if err != nil {
		return transfer.Imported{}, err
	}
	dry, err := transfer.ImportFrom(t.Context(), ws, s, p, transfer.ImportOptions{DryRun: true})
	if err != nil {
		return dry, err
	}
	r, err := transfer.ImportFrom(t.Context(), ws, s, p, transfer.ImportOptions{})
	for i, c := range r.Changes {
		if r.Changes[i].Version = 0; c.Version < 1 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if diff := cmp.Diff(dry, r); diff != "" {
		t.Errorf("%s: the dry run and the import differ:\n%s", name, diff)
	}
	return r, err
}

const note = "---\nname: tabs\nmetadata:\n  type: feedback\n---\nUse tabs.\n"

const graph = `{"type":"entity","name":"Ada","entityType":"person","observations":["Two\nlines"]}
{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}
`

// layouts are the files of each program below the user's folder, in which is the project shop, and
// what comes of them.
var layouts = map[string]struct {
	files, want map[string]string
	skipped     []string
	env         map[string]string
}{
	"claude-code": {
		files: map[string]string{
			".claude/projects/$SLUG/memory/MEMORY.md": "- [Tabs](tabs.md)\n", ".claude/projects/$SLUG/memory/go/tabs.md": note,
			".claude/projects/$SLUG/memory/x.json": "{}", ".claude/projects/$SLUG/s.jsonl": "{}", ".claude/projects/-other/memory/no.md": "no",
		},
		want:    map[string]string{"claude-code/MEMORY.md": "- [Tabs](tabs.md)\n", "claude-code/go/tabs.md": note},
		skipped: []string{"x.json"},
	},
	"codex": {
		files: map[string]string{
			"elsewhere/memories/MEMORY.md": "# Task Group: x\n", "elsewhere/memories/memory_summary.md": "v1\n", ".codex/memories/MEMORY.md": "no",
			"elsewhere/memories/raw_memories.md": "no", "elsewhere/memories/rollout_summaries/a.md": "no", "elsewhere/memories/.git/HEAD": "no",
		},
		want:    map[string]string{"codex/MEMORY.md": "# Task Group: x\n", "codex/memory_summary.md": "v1\n"},
		skipped: []string{".git", "raw_memories.md", "rollout_summaries"},
		env:     map[string]string{"CODEX_HOME": "$HOME/elsewhere"},
	},
	"cline": {
		files: map[string]string{"shop/memory-bank/projectbrief.md": "A shop.\n", "shop/README.md": "no"},
		want:  map[string]string{"cline/projectbrief.md": "A shop.\n"},
	},
	"serena": {
		files: map[string]string{"shop/.serena/memories/auth/login.md": "OAuth\n", "shop/.serena/project.yml": "no", ".serena/memories/global/x.md": "no"},
		want:  map[string]string{"serena/auth/login.md": "OAuth\n"},
	},
	"basic-memory": {
		files:   map[string]string{"basic-memory/notes/Brewing Coffee.md": "- [tip] grind\n", "basic-memory/.obsidian/a.md": "no"},
		want:    map[string]string{"basic-memory/notes/Brewing-Coffee-84b4bfa7.md": "- [tip] grind\n"},
		skipped: []string{".obsidian"},
	},
	"mcp-memory": {
		files: map[string]string{".npm/_npx/1/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl": graph},
		want: map[string]string{
			"mcp-memory/Ada.md":  "# Ada\n\nType: person\n\n## Observations\n\n- Two\n  lines\n\n## Relations\n\n- Ada works_at Acme\n",
			"mcp-memory/Acme.md": "# Acme\n\n## Relations\n\n- Ada works_at Acme\n",
		},
	},
}

// The memory of each program is found where the program keeps it. Files keep their times, their
// author is the program, and a second import brings nothing.
func TestImportFrom(t *testing.T) {
	if names := slices.Sorted(maps.Keys(layouts)); len(transfer.SourceNames()) != len(names) {
		t.Errorf("the sources are %q, and this test knows %q", transfer.SourceNames(), names)
	}
	for name, c := range layouts {
		t.Run(name, func(t *testing.T) {
			home := got(filepath.EvalSymlinks(t.TempDir()))(t)
			shop := filepath.Join(home, "shop")
			testkit.Must(t, os.Mkdir(shop, 0o700))
			around := transfer.Surroundings{Home: home, Project: shop, Main: shop, Getenv: func(name string) string {
				return strings.ReplaceAll(c.env[name], "$HOME", home)
			}}
			ws := memory(t, workspace.Options{})
			if _, err := from(t, ws, name, "", around); !isKind(err, workspace.ErrNotFound) || !strings.Contains(err.Error(), "--from "+name+" F") {
				t.Errorf("without a memory: %v", err)
			}
			files := map[string]string{}
			for name, content := range c.files {
				files[strings.ReplaceAll(name, "$SLUG", transfer.Slug(shop))] = content
			}
			lay(t, home, files)
			before := tree(t, home)
			r, err := from(t, ws, name, "", around)
			if diff := cmp.Diff(c.want, current(t, ws)); err != nil || diff != "" || len(r.Changes) != len(c.want) {
				t.Errorf("%+v, %v (-want +got):\n%s", r, err, diff)
			}
			if !slices.Equal(r.Skipped, c.skipped) || len(r.LeftOut)+len(r.Kept) > 0 {
				t.Errorf("skipped %q, left out %q, kept %q", r.Skipped, r.LeftOut, r.Kept)
			}
			for path := range c.want {
				v := got(ws.History(t.Context(), path))(t)
				if len(v) != 1 || v[0].Author.Client != name || !v[0].Time.Equal(written) {
					t.Errorf("%s has %+v", path, v)
				}
			}
			again, err := from(t, ws, name, "", around)
			if err != nil || len(again.Changes) > 0 || again.Same != int64(len(c.want)) || !maps.Equal(before, tree(t, home)) {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// Another import brings what has changed there, but nothing that was edited, moved or deleted
// here. What came from another folder is not replaced.
func TestImportFromAgain(t *testing.T) {
	one, other, ctx := t.TempDir(), t.TempDir(), context.Background()
	files := map[string]string{"edited.md": "1", "moved.md": "1", "deleted.md": "1", "changed.md": "1", "both.md": "1"}
	lay(t, one, files)
	lay(t, other, map[string]string{"same.md": "1", "changed.md": "of the other"})
	ws := memory(t, workspace.Options{})
	write(t, ws, "serena/mine.md", "mine")
	lay(t, one, map[string]string{"mine.md": "of serena"})
	run := func(folder string) transfer.Imported {
		return got(from(t, ws, "serena", folder, transfer.Surroundings{}))(t)
	}
	if r := run(one); len(r.Changes) != 5 || !slices.Equal(r.Kept, []string{"serena/mine.md"}) {
		t.Fatalf("first: %+v", r)
	}
	agent := ws.As(workspace.Author{Client: "serena", Version: "1.0"}) // a client that calls itself so
	write(t, agent, "serena/edited.md", "2")
	write(t, agent, "serena/both.md", "2")
	testkit.Must(t, testkit.Err(ws.MoveFile(ctx, "serena/moved.md", "people.md", workspace.MoveOptions{})))
	testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, "serena/deleted.md", workspace.DeleteOptions{})))
	lay(t, one, map[string]string{"changed.md": "3", "both.md": "3", "new.md": "3"})
	r := run(one)
	kept := []string{"serena/both.md", "serena/deleted.md", "serena/edited.md", "serena/mine.md", "serena/moved.md"}
	if !slices.Equal(r.Kept, kept) || len(r.Changes) != 2 || len(r.LeftOut) > 0 {
		t.Errorf("second: %+v", r)
	}
	r = run(other)
	if len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "another folder") || len(r.Changes) != 1 {
		t.Errorf("of another folder: %+v", r)
	}
	want := map[string]string{"serena/edited.md": "2", "serena/both.md": "2", "people.md": "1", "serena/changed.md": "3",
		"serena/new.md": "3", "serena/mine.md": "mine", "serena/same.md": "1"}
	if diff := cmp.Diff(want, current(t, ws)); diff != "" {
		t.Errorf("the agent has (-want +got):\n%s", diff)
	}
}

// Names that are no paths get others that are like them, whatever else is there. What is too
// large is left out. A time that cannot be is moved.
func TestImportFromNames(t *testing.T) {
	dir, ws := t.TempDir(), memory(t, workspace.Options{Limits: workspace.Limits{FileBytes: 50}})
	deep := strings.Repeat("d/", 40)
	lay(t, dir, map[string]string{"a b.md": "1", "a-b.md": "2", "a  b.md": "3", "a..b.md": "4", "東京.md": "5", "大阪.md": "6",
		"x/é/y.MD": "7", strings.Repeat("long", 55) + ".md": "8", deep + "9.md": "9", "large.md": strings.Repeat("x", 51)})
	for name, at := range map[string]time.Time{"a b.md": time.Now().Add(1000 * time.Hour), "a-b.md": time.Unix(-1e9, 0)} {
		testkit.Must(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
	r := got(from(t, ws, "basic-memory", dir, transfer.Surroundings{}))(t)
	var left, paths []string
	for _, l := range r.LeftOut {
		left = append(left, l.Name)
	}
	if want := []string{"large.md"}; !slices.Equal(left, want) {
		t.Errorf("left out: %q, want %q", r.LeftOut, want)
	}
	files := current(t, ws)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		paths = append(paths, fmt.Sprintf("%.40s %s", strings.TrimPrefix(path, "basic-memory/"), files[path]))
	}
	want := []string{"-2ad73f76.md 6", "-4003e3f3.md 5", "a-b-10ad72d8.md 1", "a-b-19bb5e1b.md 4", "a-b-44dce815.md 3", "a-b.md 2",
		deep[:40] + " 9", strings.Repeat("long", 10) + " 8", "x/-/y-76896283.md 7"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("the paths are (-want +got):\n%s", diff)
	}
	for _, line := range state(t, ws, true) {
		if !strings.Contains(line, " 2026-") && !strings.Contains(line, " 1970-") && !strings.Contains(line, fmt.Sprint(" ", time.Now().Year(), "-")) {
			t.Errorf("an odd time: %s", line)
		}
	}
}

// Lines of a graph that are none are left out by their numbers.
func TestImportGraph(t *testing.T) {
	lines := []string{
		`{"type":"entity","name":"a/b","entityType":"t","observations":["x"],"extra":{"y":[1]}}`,
		`{"type":"entity","name":"a:b","entityType":"","observations":null}`, "", "\r",
		`{"type":"entity","name":"a/b","entityType":"u","observations":["again"]}`,
		`{"type":"relation","from":"Ghost","to":"Ghost","relationType":"haunts"}`,
		`{"type":"entity","name":"A","observations":[{"text":"x"}]}`, `{"type":"entity"}`, `{"type":"relation","from":"A"}`, `["entity"]`, `null`, `{`,
		strings.Repeat("[", 100_000), `{"type":"entity","name":"Huge","observations":["` + strings.Repeat("x", 2000) + `"]}`,
	}
	dir, ws := t.TempDir(), memory(t, workspace.Options{Limits: workspace.Limits{FileBytes: 1000}})
	lay(t, dir, map[string]string{"memory.jsonl": strings.Join(lines, "\n")})
	r := got(from(t, ws, "mcp-memory", dir, transfer.Surroundings{}))(t)
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, strings.TrimPrefix(l.Name, "memory.jsonl, "))
	}
	var want []string
	for n := 7; n <= 13; n++ {
		want = append(want, fmt.Sprint("line ", n))
	}
	if diff := cmp.Diff(append(want, "Huge"), left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	files := map[string]string{
		"mcp-memory/a-b-f3f3f1ab.md": "# a/b\n\nType: t, u\n\n## Observations\n\n- x\n- again\n", "mcp-memory/a-b-191d051a.md": "# a:b\n",
		"mcp-memory/Ghost.md": "# Ghost\n\n## Relations\n\n- Ghost haunts Ghost\n",
	}
	if diff := cmp.Diff(files, current(t, ws)); diff != "" {
		t.Errorf("the agent has (-want +got):\n%s", diff)
	}
	lay(t, dir, map[string]string{"memory.jsonl": strings.Repeat(" ", 16<<20+1)})
	if _, err := from(t, ws, "mcp-memory", filepath.Join(dir, "memory.jsonl"), transfer.Surroundings{}); !isKind(err, workspace.ErrTooLarge) {
		t.Errorf("of a graph of more than 16 MiB: %v", err)
	}
}

// The server of a graph may have been installed twice. Claude Code's names of projects are those
// that it gives.
func TestSourcePlaces(t *testing.T) {
	home := t.TempDir()
	for _, n := range []string{"1", "2"} {
		lay(t, home, map[string]string{".npm/_npx/" + n + "/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl": graph})
	}
	ws, around := memory(t, workspace.Options{}), transfer.Surroundings{Home: home, Getenv: func(string) string { return "" }}
	if _, err := from(t, ws, "mcp-memory", "", around); !isKind(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "2 memories") {
		t.Errorf("of two graphs: %v", err)
	}
	if _, err := from(t, ws, "codex", "", transfer.Surroundings{Getenv: around.Getenv}); !isKind(err, workspace.ErrNotFound) {
		t.Errorf("without a home: %v", err)
	}
	for path, end := range map[string]string{"/a/b.c": "-a-b-c", "/home/ü/🗼 x": "-home------x", "/long/" + strings.Repeat("dir-é🗼/", 30): "---di-fumovq",
		"/long/" + strings.Repeat("dir-é🗼/", 31): "---di-wuyxwj"} {
		if name := transfer.Slug(path); !strings.HasSuffix(name, end) {
			t.Errorf("the project %s is %s, want the end %s", path, name, end)
		}
	}
}
