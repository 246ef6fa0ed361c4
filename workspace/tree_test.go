package workspace_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A treeMachine makes calls on a workspace and on a map of paths, which follows the rules
// of a file system.
type treeMachine struct {
	ws    *workspace.Workspace
	files map[string]string
}

const micros = "2006-01-02T15:04:05.000000" // sorts as the times do

var treePaths = []string{"a", "a/b", "a/b/c", "a/bc", "ab", "b", "b/a", "c/d", "c"}

func below(path, folder string) bool { return strings.HasPrefix(path, folder+"/") }

// inTheWay returns a file that keeps path from being a new file or folder; "": none.
func (m *treeMachine) inTheWay(path, self string) string {
	for _, f := range slices.Sorted(maps.Keys(m.files)) {
		if f != self && (f == path || below(f, path) || below(path, f)) {
			return f
		}
	}
	return ""
}

// in returns the file at a path and the files below it.
func (m *treeMachine) in(path string) (files []string) {
	for f := range m.files {
		if f == path || below(f, path) {
			files = append(files, f)
		}
	}
	return files
}

// expect compares an error with what the map says is in the way.
func expect(t *rapid.T, what string, err error, way string) bool {
	var found *workspace.Overlap
	switch {
	case way == "" && err != nil:
		t.Fatalf("%s: %v", what, err)
	case way != "" && (!errors.Is(err, workspace.ErrConflict) || !errors.As(err, &found)):
		t.Fatalf("%s: %v, want a conflict with %s", what, err, way)
	case way != "" && found.Path != way && !strings.HasPrefix(found.Path, way) && !strings.HasPrefix(way, found.Path):
		t.Fatalf("%s: %s is in the way, want %s", what, found.Path, way)
	}
	return way == ""
}

func (m *treeMachine) create(t *rapid.T) {
	path, content := rapid.SampledFrom(treePaths).Draw(t, "path"), rapid.SampledFrom([]string{"", "x", "y\n"}).Draw(t, "content")
	_, err := m.ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{IfVersion: new(int64), Tree: true})
	if expect(t, "write "+path, err, m.inTheWay(path, "")) {
		m.files[path] = content
	}
}

func (m *treeMachine) overwrite(t *rapid.T) {
	path := rapid.SampledFrom(treePaths).Draw(t, "path")
	_, err := m.ws.WriteFile(t.Context(), path, []byte("over"), workspace.WriteOptions{Tree: true})
	if expect(t, "write "+path, err, m.inTheWay(path, path)) {
		m.files[path] = "over"
	}
}

func (m *treeMachine) moveFile(t *rapid.T) {
	from, to := rapid.SampledFrom(treePaths).Draw(t, "from"), rapid.SampledFrom(treePaths).Draw(t, "to")
	content, there := m.files[from]
	o := workspace.MoveOptions{Tree: true}
	if rapid.Bool().Draw(t, "content") {
		content = "moved"
		o.Content = new([]byte(content))
	}
	_, err := m.ws.MoveFile(t.Context(), from, to, o)
	switch {
	case from == to && errors.Is(err, workspace.ErrInvalid):
	case !there && errors.Is(err, workspace.ErrNotFound):
	case from == to || !there:
		t.Fatalf("move %s to %s: %v", from, to, err)
	case expect(t, "move "+from+" to "+to, err, m.inTheWay(to, from)):
		delete(m.files, from)
		m.files[to] = content
	}
}

func (m *treeMachine) deleteTree(t *rapid.T) {
	path := rapid.SampledFrom(treePaths).Draw(t, "path")
	files := m.in(path)
	r, err := workspace.DeleteTree(t.Context(), m.ws, path)
	if len(files) == 0 {
		if !errors.Is(err, workspace.ErrNotFound) {
			t.Fatalf("delete %s: %+v, %v", path, r, err)
		}
		return
	}
	_, file := m.files[path]
	if err != nil || r.Files != int64(len(files)) || r.Folder == file {
		t.Fatalf("delete %s: %+v, %v, want %v", path, r, err, files)
	}
	for _, f := range files {
		delete(m.files, f)
	}
}

func (m *treeMachine) moveTree(t *rapid.T) {
	from, to := rapid.SampledFrom(treePaths).Draw(t, "from"), rapid.SampledFrom(treePaths).Draw(t, "to")
	files := m.in(from)
	r, err := workspace.MoveTree(t.Context(), m.ws, from, to)
	switch way := m.inTheWay(to, ""); {
	case from == to || below(to, from):
		if !errors.Is(err, workspace.ErrInvalid) {
			t.Fatalf("move %s to %s: %v", from, to, err)
		}
	case len(files) == 0 && way == "":
		if !errors.Is(err, workspace.ErrNotFound) {
			t.Fatalf("move %s to %s: %v", from, to, err)
		}
	case expect(t, "move "+from+" to "+to, err, way):
		if r.Files != int64(len(files)) {
			t.Fatalf("move %s to %s: %+v, want %v", from, to, r, files)
		}
		for _, f := range files {
			m.files[to+f[len(from):]] = m.files[f]
			delete(m.files, f)
		}
	}
}

// check compares all files, finds each by its time of creation, and counts them.
func (m *treeMachine) check(t *rapid.T) {
	list, err := m.ws.ListFiles(t.Context(), workspace.ListOptions{})
	if err != nil || len(list.Files) != len(m.files) {
		t.Fatalf("%v, %v, want %v", list.Files, err, m.files)
	}
	seen := map[time.Time]bool{}
	for _, f := range list.Files {
		v, err := workspace.ViewFile(t.Context(), m.ws, workspace.FileQuery{Created: f.Created, Content: true})
		if err != nil || v.File.Path != f.Path || string(v.Version.Content) != m.files[f.Path] || seen[f.Created] {
			t.Fatalf("%s is %+v, %v, want %q", f.Path, v, err, m.files[f.Path])
		}
		seen[f.Created] = true
	}
	usage, err := m.ws.Usage(t.Context())
	if err != nil || usage.Files != int64(len(m.files)) {
		t.Fatalf("usage %+v, %v of %d files", usage, err, len(m.files))
	}
}

func TestTree(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Now: func() time.Time { return testkit.Start }, KeepDeleted: month})
	agents := 0
	rapid.Check(t, func(t *rapid.T) {
		agents++
		ws, err := svc.Agent(fmt.Sprint("tree-", agents))
		testkit.Must(t, err)
		m := &treeMachine{ws: ws, files: map[string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"": m.check, "create": m.create, "overwrite": m.overwrite, "move": m.moveFile, "delete tree": m.deleteTree, "move tree": m.moveTree,
		})
	})
}

// Each file of a tree moves as by MoveFile: with its versions, its time of creation and a
// row in the journal. Nothing happens by halves.
func TestMoveTreeKeepsHistory(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "a/x", "1")
	write(t, ws, "a/x", "2")
	write(t, ws, "a/"+strings.Repeat("y", 250), "long")
	if _, err := workspace.MoveTree(t.Context(), ws, "a", "longer-name"); !errors.Is(err, workspace.ErrInvalid) {
		t.Fatalf("a path that becomes too long: %v", err)
	}
	before, err := workspace.ViewFile(t.Context(), ws, workspace.FileQuery{Path: "a/x"})
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(workspace.MoveTree(t.Context(), ws, "a", "b")))
	history, err := ws.History(t.Context(), "b/x")
	if err != nil || len(history) != 3 || history[2].Version != 3 {
		t.Errorf("history %+v, %v", history, err)
	}
	after, err := workspace.ViewFile(t.Context(), ws, workspace.FileQuery{Created: before.File.Created})
	if err != nil || after.File.Path != "b/x" || after.Version.Content != nil {
		t.Errorf("%+v, %v", after, err)
	}
	changes, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{Limit: 10})
	if err != nil || len(changes.Changes) != 5 || changes.Changes[0].Op != workspace.OpMove || changes.Changes[1].Op != workspace.OpMove {
		t.Errorf("%+v, %v", changes, err)
	}
}

// Callers who update one file at once lose nothing.
func TestUpdateFile(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{FileBytes: 1000}})
	ctx := t.Context()
	grow := func(text []byte) ([]byte, error) { return append(text, '.'), nil }
	if _, err := ws.UpdateFile(ctx, "n", grow, workspace.UpdateOptions{}); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("no file: %v", err)
	}
	write(t, ws, "n", "")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				if _, err := ws.UpdateFile(ctx, "n", grow, workspace.UpdateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if r, err := ws.ReadFile(ctx, "n", workspace.ReadOptions{}); err != nil || len(r.Content) != 160 || r.Version != 161 {
		t.Errorf("%d bytes at version %d, %v", len(r.Content), r.Version, err)
	}
	refused := errors.New("refused")
	if _, err := ws.UpdateFile(ctx, "n", func([]byte) ([]byte, error) { return nil, refused }, workspace.UpdateOptions{}); err != refused {
		t.Errorf("an error of fn: %v", err)
	}
	if _, err := ws.UpdateFile(ctx, "n", grow, workspace.UpdateOptions{IfVersion: new(int64(7))}); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("another version: %v", err)
	}
	if _, err := ws.UpdateFile(ctx, "n", func([]byte) ([]byte, error) { return make([]byte, 1001), nil }, workspace.UpdateOptions{}); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("too much: %v", err)
	}
}

// The versions of all files come newest first, page by page, and are those of the
// histories.
func TestViewVersions(t *testing.T) {
	clock := testkit.NewClock()
	svc, _ := newService(t, workspace.Options{Now: clock.Now, Limits: workspace.Limits{Versions: 4}})
	ws, all := agentOf(t, svc, "versions"), []string{}
	for i := range 60 {
		if i%3 > 0 {
			clock.Advance(time.Second)
		}
		write(t, ws.As(workspace.Author{Key: fmt.Sprint("k", i%2)}), fmt.Sprint("f", i*i%7), fmt.Sprint(i))
	}
	_, err := ws.MoveFile(t.Context(), "f0", "moved", workspace.MoveOptions{})
	testkit.Must(t, err)
	list, err := ws.ListFiles(t.Context(), workspace.ListOptions{})
	testkit.Must(t, err)
	for _, f := range list.Files {
		history, err := ws.History(t.Context(), f.Path)
		testkit.Must(t, err)
		for _, v := range history {
			all = append(all, fmt.Sprintf("%s %s %03d %s %s", v.Time.Format(micros), f.Created.Format(micros), v.Version, f.Path, v.Author.Key))
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	for _, limit := range []int{1, 3, 100} {
		for _, key := range []string{"", "k1"} {
			want := slices.DeleteFunc(slices.Clone(all), func(line string) bool { return !strings.HasSuffix(line, key) })
			got := versionLines(t, ws, workspace.VersionsQuery{Limit: limit, Key: key})
			if !slices.Equal(got, want) {
				t.Errorf("pages of %d by %q: %q\nwant %q", limit, key, got, want)
			}
		}
	}
	from := clock.Now().Add(-10 * time.Second)
	for _, line := range versionLines(t, ws, workspace.VersionsQuery{From: from, Until: from.Add(5 * time.Second)}) {
		if at := line[:strings.Index(line, " ")]; at < from.UTC().Format(micros) {
			t.Errorf("%s is too old", line)
		}
	}
}

// versionLines reads all pages of a query.
func versionLines(t *testing.T, ws *workspace.Workspace, q workspace.VersionsQuery) (lines []string) {
	for {
		page, err := workspace.ViewVersions(t.Context(), ws, q)
		testkit.Must(t, err)
		for _, v := range page.Versions {
			q.After = &workspace.VersionRef{Time: v.Version.Time, Created: v.File.Created, Number: v.Version.Number}
			lines = append(lines, fmt.Sprintf("%s %s %03d %s %s", v.Version.Time.Format(micros), v.File.Created.Format(micros), v.Version.Number, v.File.Path, v.Version.Author.Key))
		}
		if !page.More {
			return lines
		}
	}
}
