package workspace_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestEditRefused(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	twelve := strings.Repeat("x\n", 12)
	for _, test := range []struct {
		name, content, old, new string
		kind                    error
		says                    []string
	}{
		{"both empty", "abc", "", "", workspace.ErrInvalid, []string{"old and new are empty", "give new to append it"}},
		{"half a character", "é", "\xc3", "x", workspace.ErrInvalid, nil},
		{"equal", "abc", "b", "b", workspace.ErrInvalid, []string{"equal"}},
		{"twice on a line", "a b a", "a", "x", workspace.ErrConflict, []string{"occurs 2 times, on lines 1, 1;", "set All"}},
		{"on several lines", "a\nb\na\n\na", "a", "x", workspace.ErrConflict, []string{"occurs 3 times, on lines 1, 3, 5;"}},
		{"over ten", twelve, "x", "y", workspace.ErrConflict, []string{"occurs 12 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more;"}},
		{"none", "abc", "xyz", "", workspace.ErrConflict, []string{"does not occur", "read the file"}},
		{"nearest", "one\nthe plan of today\ntwo\n", "the plan for today", "", workspace.ErrConflict, []string{"does not occur", `nearest is line 2: "the plan of today"`}},
		{"nearest by case", "one\n\tReturn nil\n", "return nil", "", workspace.ErrConflict, []string{`nearest is line 2: "Return nil"`}},
		{"nearest of the first line", "a {\n  b\n}\n", "\n  a {\n  c\n}", "", workspace.ErrConflict, []string{`nearest is line 1: "a {"`}},
		{"only space", "a\n", "   ", "", workspace.ErrConflict, []string{"does not occur"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(t, ws, "f", test.content)
			before := usage(t, ws)
			_, err := ws.EditFile(t.Context(), "f", test.old, test.new, workspace.EditOptions{})
			wantErr(t, "EditFile", err, test.kind, test.says...)
			before.Operations++
			if after := usage(t, ws); after != before {
				t.Errorf("after a refused edit the usage is %+v, want %+v", after, before)
			}
		})
	}
	_, err := ws.EditFile(t.Context(), "f", "", "b", workspace.EditOptions{All: true})
	wantErr(t, "EditFile of all without old", err, workspace.ErrInvalid, "All needs a text to replace")
	_, err = ws.EditFile(t.Context(), "no", "a", "b", workspace.EditOptions{})
	wantErr(t, "EditFile of no file", err, workspace.ErrNotFound, "edit no: ", "no such file")
}

// gate is a store of which the first views end together, so that whoever made
// them has read the same.
type gate struct {
	workspace.Store
	views atomic.Int64 // still to come
	all   sync.WaitGroup
}

func newGate(store workspace.Store, views int) *gate {
	g := &gate{Store: store}
	g.views.Store(int64(views))
	g.all.Add(views)
	return g
}

func (g *gate) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	err := g.Store.View(ctx, o, fn)
	if g.views.Add(-1) >= 0 {
		g.all.Done()
		g.all.Wait()
	}
	return err
}

// Edits of one file at once are all made: none is lost, none made twice. A large file is
// read before the transaction that writes it, and here by all editors before the first.
func TestEditConcurrently(t *testing.T) {
	const editors = 16
	t.Run("small", func(t *testing.T) {
		editConcurrently(t, agentOf(t, serviceOn(t, newStore(t), workspace.Options{}), "a"), editors, "")
	})
	t.Run("large", func(t *testing.T) {
		svc := serviceOn(t, newGate(newStore(t), editors), workspace.Options{})
		editConcurrently(t, agentOf(t, svc, "a"), editors, strings.Repeat("a line of a large file\n", 1000))
	})
}

func editConcurrently(t *testing.T, ws *workspace.Workspace, editors int, begin string) {
	const each = 8
	var content strings.Builder
	content.WriteString(begin)
	for i := range editors {
		fmt.Fprintf(&content, "[%02d:]\n", i)
	}
	write(t, ws, "f", content.String())
	var mu sync.Mutex // guards versions
	var versions []int64
	var wg sync.WaitGroup
	for i := range editors {
		wg.Go(func() {
			for j := range each {
				at := fmt.Sprintf("[%02d:%s", i, strings.Repeat("x", j))
				res, err := ws.EditFile(t.Context(), "f", at+"]", at+"x]", workspace.EditOptions{})
				if err != nil {
					t.Errorf("EditFile %d of %d = %v", j, i, err)
				}
				mu.Lock()
				versions = append(versions, res.Version)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(versions)
	for i, v := range versions {
		if v != int64(i+2) {
			t.Fatalf("the edits were acknowledged as versions %v, want 2 to %d, each once", versions, editors*each+1)
		}
	}
	want := strings.ReplaceAll(content.String(), ":]", ":"+strings.Repeat("x", each)+"]")
	if r := read(t, ws, "f", workspace.ReadOptions{}); string(r.Content) != want {
		t.Errorf("the file holds %q, want %q", r.Content, want)
	}
}

func restore(t testing.TB, ws *workspace.Workspace, path string, version int64) workspace.WriteResult {
	t.Helper()
	r, err := ws.RestoreFile(t.Context(), path, workspace.RestoreOptions{Version: version})
	testkit.Must(t, err)
	return r
}

func TestRestoreRefused(t *testing.T) {
	store := newStore(t)
	ws := agentOf(t, serviceOn(t, store, workspace.Options{Limits: workspace.Limits{Versions: 2, Bytes: 2000}}), "a")
	for range 4 {
		write(t, ws, "plan", "x")
	}
	for _, test := range []struct {
		path      string
		version   int64
		ifVersion *int64
		kind      error
		says      string
	}{
		{"plan", 2, nil, workspace.ErrNotFound, "restore plan: version 2 is not kept, versions 3 to 4 are"},
		{"plan", 5, nil, workspace.ErrNotFound, "version 5 is not kept"},
		{"plan", 0, nil, workspace.ErrConflict, "it exists at version 4; say which Version to restore"},
		{"plan", -1, nil, workspace.ErrInvalid, "Version is -1, the least is 1"},
		{"plan", 3, ptr(3), workspace.ErrConflict, "it is at version 4, IfVersion is 3"},
		{"plan", 3, ptr(0), workspace.ErrConflict, "it exists at version 4, IfVersion is 0"},
		{"plan", 3, ptr(-1), workspace.ErrInvalid, "IfVersion is -1, the least is 0"},
		{"plans", 3, nil, workspace.ErrNotFound, "restore plans: there is no such file; the nearest name is plan"},
		{"/plan", 3, nil, workspace.ErrInvalid, "restore path /plan: "},
	} {
		_, err := ws.RestoreFile(t.Context(), test.path, workspace.RestoreOptions{Version: test.version, IfVersion: test.ifVersion})
		wantErr(t, "RestoreFile", err, test.kind, test.says)
	}
	if _, err := ws.RestoreFile(t.Context(), "plan", workspace.RestoreOptions{Version: 3, IfVersion: ptr(4)}); err != nil {
		t.Errorf("RestoreFile on the right condition = %v", err)
	}
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "plan", workspace.DeleteOptions{})))
	_, err := ws.RestoreFile(t.Context(), "plan", workspace.RestoreOptions{Version: 5})
	wantErr(t, "RestoreFile of a deleted file", err, workspace.ErrNotFound, "there is no such file")
}

// With IfChanged, a write of the content that is there stores nothing.
func TestWriteIfChanged(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, c := range []struct {
		content   string
		ifVersion *int64
		version   int64 // 0: the error is ErrConflict
	}{
		{"one", ptr(0), 1}, {"one", ptr(1), 1}, {"two", ptr(1), 2}, {"two", ptr(1), 0}, {"two", ptr(2), 2}, {"two", nil, 3},
	} {
		r, err := ws.WriteFile(t.Context(), "f", []byte(c.content), workspace.WriteOptions{IfVersion: c.ifVersion, IfChanged: true})
		if c.version == 0 {
			wantErr(t, "an older version", err, workspace.ErrConflict)
		} else if err != nil || r.Version != c.version {
			t.Errorf("%q at %v: version %d, %v, want %d", c.content, c.ifVersion, r.Version, err, c.version)
		}
	}
	if n := usage(t, ws); n.Files != 1 || read(t, ws, "f", workspace.ReadOptions{}).Version != 3 {
		t.Errorf("the usage is %+v", n)
	}
}

// Bytes stay as sent if the text occurs. Only if it does not, \n stands for \r\n too.
func TestEditLineEnds(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, test := range []struct {
		content, old, new, want string
		all, crlf               bool
	}{
		{content: "a\r\nb\r\n", old: "a\nb\n", new: "c\nd\r\ne\n", want: "c\r\nd\r\ne\r\n", crlf: true},
		{content: "a\r\nb\r\nc", old: "a\r\nb\nc", new: "x\n", want: "x\r\n", crlf: true},
		{content: "a\nb\n a\r\nb", old: "a\nb", new: "x\ny", want: "x\ny\n a\r\nb"},
		{content: "a\r\nb", old: "\nb", new: "\nc\n", want: "a\r\nc\n"},
		{content: "a\r\nb\nc\n", old: "a\nb", new: "x", want: "x\nc\n", crlf: true},
		{content: "a\r\nb\r\na\r\nb", old: "a\nb", new: "\n", all: true, want: "\r\n\r\n\r\n", crlf: true},
		{content: "a\r\nb\r\na\r\nb", old: "a\nb", new: "x"},
		{content: "a\r\nb\nc", old: "a\nb\nc", new: "x"},
		{content: "a\r\nb\r\nc a\nb\r\nc", old: "a\nb\nc", new: "x", all: true},
		{content: "a\nb", old: "a\r\nb", new: "x"},
		{content: "\r\n", old: "x\ny", new: "x"},
	} {
		write(t, ws, "f", test.content)
		r, err := ws.EditFile(t.Context(), "f", test.old, test.new, workspace.EditOptions{All: test.all})
		if test.want == "" {
			wantErr(t, fmt.Sprintf("%q in %q", test.old, test.content), err, workspace.ErrConflict, "occur")
			if mixed := strings.Contains(test.old, "\nc"); mixed != strings.Contains(err.Error(), `both \n and \r\n`) {
				t.Errorf("%q in %q = %v", test.old, test.content, err)
			}
			continue
		}
		testkit.Must(t, err)
		if got := read(t, ws, "f", workspace.ReadOptions{}); string(got.Content) != test.want || (r.LineEnds == "crlf") != test.crlf {
			t.Errorf("%q in %q gives %q, %+v; want %q", test.old, test.content, got.Content, r, test.want)
		}
	}
}

// An append that creates a file names the one that may be meant.
func TestEditNear(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "plan.md", "x")
	for _, test := range []struct{ path, near string }{{"Plan.md", "plan.md"}, {"Plan.md", ""}, {"plan.md", ""}, {"other", ""}} {
		for _, text := range []string{"x", strings.Repeat("x", 20<<10)} {
			r, err := ws.EditFile(t.Context(), test.path, "", text, workspace.EditOptions{})
			if testkit.Must(t, err); r.Near != test.near {
				t.Errorf("an append to %s is near %q, want %q", test.path, r.Near, test.near)
			}
			if test.near != "" && len(text) == 1 {
				_, err := ws.DeleteFile(t.Context(), test.path, workspace.DeleteOptions{})
				testkit.Must(t, err)
			}
		}
	}
}
