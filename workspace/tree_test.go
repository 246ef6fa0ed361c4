package workspace_test

import (
	"context"
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
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
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
	err := workspace.DeleteTree(t.Context(), m.ws, path)
	if len(files) == 0 {
		if !errors.Is(err, workspace.ErrNotFound) {
			t.Fatalf("delete %s: %v", path, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("delete %s: %v, want %v", path, err, files)
	}
	for _, f := range files {
		delete(m.files, f)
	}
}

func (m *treeMachine) moveTree(t *rapid.T) {
	from, to := rapid.SampledFrom(treePaths).Draw(t, "from"), rapid.SampledFrom(treePaths).Draw(t, "to")
	files := m.in(from)
	err := workspace.MoveTree(t.Context(), m.ws, from, to)
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
	if err := workspace.MoveTree(t.Context(), ws, "a", "longer-name"); !errors.Is(err, workspace.ErrInvalid) {
		t.Fatalf("a path that becomes too long: %v", err)
	}
	before, err := workspace.ViewFile(t.Context(), ws, workspace.FileQuery{Path: "a/x"})
	testkit.Must(t, err)
	testkit.Must(t, workspace.MoveTree(t.Context(), ws, "a", "b"))
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
	if _, err := ws.UpdateFile(ctx, "n", grow); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("no file: %v", err)
	}
	write(t, ws, "n", "")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				if _, err := ws.UpdateFile(ctx, "n", grow); err != nil {
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
	if _, err := ws.UpdateFile(ctx, "n", func([]byte) ([]byte, error) { return nil, refused }); err != refused {
		t.Errorf("an error of fn: %v", err)
	}
	if _, err := ws.UpdateFile(ctx, "n", func([]byte) ([]byte, error) { return make([]byte, 1001), nil }); !errors.Is(err, workspace.ErrTooLarge) {
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

func move(ctx context.Context, ws *workspace.Workspace, path, newPath string) (workspace.MoveResult, error) {
	return ws.MoveFile(ctx, path, newPath, workspace.MoveOptions{})
}

func mustMove(t testing.TB, ws *workspace.Workspace, path, newPath string) workspace.MoveResult {
	t.Helper()
	r, err := move(t.Context(), ws, path, newPath)
	testkit.Must(t, err)
	return r
}

// contentsOf returns the retained versions of a file with their contents.
func contentsOf(t testing.TB, ws *workspace.Workspace, path string) map[int64]string {
	t.Helper()
	history, err := ws.History(t.Context(), path)
	testkit.Must(t, err)
	texts := map[int64]string{}
	for _, v := range history {
		texts[v.Version] = string(read(t, ws, path, workspace.ReadOptions{Version: v.Version}).Content)
	}
	return texts
}

func TestMoveRefused(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "plan.md", "1")
	write(t, ws, "plan.md", "2")
	write(t, ws, "taken", "x")
	appendLog(t, ws, "log", "x")
	before := journalOf(t, store, "a", 0)
	for _, test := range []struct {
		from, to  string
		ifVersion *int64
		kind      error
		says      []string
	}{
		{"plan.md", "taken", nil, workspace.ErrConflict, []string{"move plan.md: taken exists at version 1; give another newPath, or delete that file first: conflict"}},
		{"plan.md", "plan.md", nil, workspace.ErrInvalid, []string{"move plan.md: path and newPath are equal"}},
		{"plan", "new", nil, workspace.ErrNotFound, []string{"move plan: there is no such file; the nearest name is plan.md"}},
		{"log", "new", nil, workspace.ErrNotFound, []string{"there is no such file, but a log of this name"}},
		{"none", "taken", nil, workspace.ErrNotFound, []string{"move none: "}},
		{"../a", "new", nil, workspace.ErrInvalid, []string{"move path ../a: "}},
		{"plan.md", "../a", nil, workspace.ErrInvalid, []string{"move newPath ../a: "}},
		{"plan.md", "", nil, workspace.ErrInvalid, []string{"newPath"}},
		{"plan.md", "new", ptr(1), workspace.ErrConflict, []string{"it is at version 2, IfVersion is 1"}},
		{"plan.md", "new", ptr(0), workspace.ErrInvalid, []string{"IfVersion is 0, the least is 1"}},
	} {
		_, err := ws.MoveFile(t.Context(), test.from, test.to, workspace.MoveOptions{IfVersion: test.ifVersion})
		wantErr(t, fmt.Sprintf("MoveFile %s to %s", test.from, test.to), err, test.kind, test.says...)
	}
	if after := journalOf(t, store, "a", 0); len(after) != len(before) {
		t.Errorf("refused moves are in the journal: %+v", after[len(before):])
	}
	if got := contentsOf(t, ws, "plan.md"); len(got) != 2 || got[2] != "2" {
		t.Errorf("after refused moves the file has %v, want both versions", got)
	}
	if r, err := ws.MoveFile(t.Context(), "plan.md", "log", workspace.MoveOptions{IfVersion: ptr(2)}); err != nil || r.Version != 3 {
		t.Errorf("MoveFile to the path of a log = %+v, %v, want version 3", r, err)
	}
}

// A move needs room for one more version, but not for one more file.
func TestMoveQuota(t *testing.T) {
	const room = 2*10 + port.PathCharge + 2*port.VersionCharge
	store := newStore(t)
	options := func(bytes int64) workspace.Options {
		return workspace.Options{Limits: workspace.Limits{Files: 1, Bytes: bytes, Versions: 2}}
	}
	ws := agentOf(t, serviceOn(t, store, options(room-1)), "a")
	write(t, ws, "f", "0123456789")
	_, err := move(t.Context(), ws, "f", "g")
	wantErr(t, "MoveFile without room", err, workspace.ErrQuota, "move f: ", fmt.Sprintf("of %d are used", room-1))
	ws = agentOf(t, serviceOn(t, store, options(room)), "a")
	for i, name := range []string{"g", "h", "f", "g"} {
		from := []string{"f", "g", "h", "f"}[i]
		if r := mustMove(t, ws, from, name); r.Version != int64(i+2) {
			t.Errorf("MoveFile to %s = %+v, want version %d", name, r, i+2)
		}
	}
	if got := contentsOf(t, ws, "g"); len(got) != 2 {
		t.Errorf("the file has versions %v, want two", got)
	}
}

// A repeated move gets the first answer, whatever happened since.
func TestMoveRepeated(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "f", "x")
	write(t, ws, "h", "x")
	keyed := workspace.MoveOptions{IdempotencyKey: "k"}
	first, err := ws.MoveFile(t.Context(), "f", "g", keyed)
	testkit.Must(t, err)
	write(t, ws, "f", "another")
	mustMove(t, ws, "g", "i")
	rows := journalOf(t, store, "a", 0)
	for range 2 {
		if again, err := ws.MoveFile(t.Context(), "f", "g", keyed); err != nil || again != first {
			t.Errorf("the move again = %+v, %v, want %+v", again, err, first)
		}
	}
	for _, other := range [][2]string{{"f", "j"}, {"h", "g"}, {"fg", "h"}} {
		_, err := ws.MoveFile(t.Context(), other[0], other[1], keyed)
		wantErr(t, "another move under the key", err, workspace.ErrConflict, "another request")
	}
	_, err = ws.MoveFile(t.Context(), "f", "g", workspace.MoveOptions{IdempotencyKey: "k", IfVersion: ptr(1)})
	wantErr(t, "a move on a condition under the key", err, workspace.ErrConflict, "another request")
	if after := journalOf(t, store, "a", 0); len(after) != len(rows) {
		t.Errorf("a repeated move changed something: %+v", after[len(rows):])
	}
}

// Summaries are of a file at its path. A move removes them, and their bytes.
func TestMoveForgetsSummaries(t *testing.T) {
	m := &model{}
	ws := newWorkspace(t, workspace.Options{Summarizer: m.remote()})
	text := longText("a")
	write(t, ws, "f", text)
	summarize(t, ws, "f")
	mustMove(t, ws, "f", "g")
	if u := usage(t, ws); u.Bytes != 2*int64(len(text)) {
		t.Errorf("after the move %d bytes are used, want %d", u.Bytes, 2*len(text))
	}
	if r := summarize(t, ws, "g"); r.Cached {
		t.Errorf("Summarize = %+v, want a new summary", r)
	}
	m.wantCalls(t, 2)
}

// The old path counts as a deleted one. Beyond the limit of those, the oldest is forgotten
// and raises the floor.
func TestMoveFolds(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "gone", "x")
	}
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "gone", workspace.DeleteOptions{})))
	write(t, ws, "f", "x")
	changeState(t, store, func(s *port.OwnerState) { s.DeletedFiles = 10_000 }) // as if there were so many
	mustMove(t, ws, "f", "g")
	r, err := ws.WriteFile(t.Context(), "other", nil, workspace.WriteOptions{})
	if err != nil || r.Version != 4 {
		t.Errorf("the next new path begins with %+v, %v, want version 4", r, err)
	}
}
