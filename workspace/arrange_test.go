package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// TestNumbersNameOneText writes, deletes, moves, restores and forgets files at random. A
// number at a path never stands for two texts, and no answer to since_version compares with
// another text than the reader had. A model says which versions are kept.
func TestNumbersNameOneText(t *testing.T) {
	testkit.SkipInShort(t)
	arranged(t, func(t *testing.T, store workspace.Store) {
		cases := 0
		rapid.Check(t, func(t *rapid.T) {
			cases++
			a := &arranger{store: store, agent: fmt.Sprint("a-", cases), files: map[string]pathModel{}, said: map[string]string{}}
			a.limit(t)
			defer func() { a.svc.Close(context.Background()) }()
			t.Repeat(map[string]func(*rapid.T){
				"":        a.checkCounters,
				"Write":   a.write,
				"Append":  a.append,
				"Delete":  a.delete,
				"Move":    a.move,
				"Again":   a.move,
				"Restore": a.restore,
				"Forget":  a.forget,
				"Limit":   a.limit,
			})
		})
	})
}

// pathModel is what the model has of a path.
type pathModel struct {
	last  int64            // the highest number that the path ever had
	texts map[int64]string // of the retained versions; nil if there is no file
}

type arranger struct {
	store    workspace.Store
	svc      *workspace.Service
	ws       *workspace.Workspace
	agent    string
	versions int64 // the limit
	floor    int64
	files    map[string]pathModel
	said     map[string]string // "path@number": the text that was once seen there
	written  int
}

var arrangedPaths = []string{"a", "b", "c/d"}

func (a *arranger) limit(t *rapid.T) {
	if a.svc != nil {
		a.svc.Close(context.Background())
	}
	a.versions = rapid.Int64Range(1, 5).Draw(t, "limit")
	svc, err := workspace.New(a.store, workspace.Options{Limits: workspace.Limits{Versions: a.versions}})
	testkit.Must(t, err)
	a.svc = svc
	if a.ws, err = svc.Agent(a.agent); err != nil {
		t.Fatal(err)
	}
}

func (a *arranger) path(t *rapid.T) string { return rapid.SampledFrom(arrangedPaths).Draw(t, "path") }

// text returns a text that was never written before.
func (a *arranger) text() string {
	a.written++
	return fmt.Sprintf("text %d\nthat all have\n", a.written)
}

// put gives a path one more version in the model.
func (a *arranger) put(path, text string, number int64) {
	f := a.files[path]
	f.texts = maps.Clone(f.texts)
	if f.texts == nil {
		f.texts = map[int64]string{}
	}
	f.last = number
	f.texts[number] = text
	for n := range f.texts {
		if n <= number-a.versions {
			delete(f.texts, n)
		}
	}
	a.files[path] = f
}

// next returns the next number of a path.
func (a *arranger) next(path string) int64 {
	if f, known := a.files[path]; known {
		return f.last + 1
	}
	return a.floor + 1
}

func (a *arranger) write(t *rapid.T) {
	path, text := a.path(t), a.text()
	want := a.next(path)
	r, err := a.ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{})
	if err != nil || r.Version != want {
		t.Fatalf("WriteFile(%q) = %+v, %v, want version %d", path, r, err, want)
	}
	a.put(path, text, want)
	a.check(t, path)
}

func (a *arranger) append(t *rapid.T) {
	path, text := a.path(t), a.text()
	want := a.next(path)
	f := a.files[path]
	r, err := a.ws.EditFile(t.Context(), path, "", text, workspace.EditOptions{})
	if err != nil || r.Version != want {
		t.Fatalf("EditFile(%q) = %+v, %v, want version %d", path, r, err, want)
	}
	a.put(path, f.texts[f.last]+text, want)
	a.check(t, path)
}

func (a *arranger) delete(t *rapid.T) {
	path := a.path(t)
	testkit.Must(t, testkit.Err(a.ws.DeleteFile(t.Context(), path, workspace.DeleteOptions{})))
	if f, known := a.files[path]; known {
		a.files[path] = pathModel{last: f.last}
	}
	a.check(t, path)
}

func (a *arranger) move(t *rapid.T) {
	from, to := a.path(t), a.path(t)
	f := a.files[from]
	r, err := a.ws.MoveFile(t.Context(), from, to, workspace.MoveOptions{})
	var refused error
	switch {
	case from == to:
		refused = workspace.ErrInvalid
	case f.texts == nil:
		refused = workspace.ErrNotFound
	case a.files[to].texts != nil:
		refused = workspace.ErrConflict
	}
	if refused != nil {
		if !errors.Is(err, refused) {
			t.Fatalf("MoveFile(%q, %q) = %+v, %v, want %v", from, to, r, err, refused)
		}
		return
	}
	above := a.next(to) - 1
	want := max(f.last, above) + 1
	if err != nil || r.Version != want {
		t.Fatalf("MoveFile(%q, %q) = %+v, %v, want version %d", from, to, r, err, want)
	}
	moved := maps.Clone(f.texts)
	maps.DeleteFunc(moved, func(n int64, _ string) bool { return n <= above })
	a.files[to] = pathModel{texts: moved}
	a.files[from] = pathModel{last: f.last}
	a.put(to, f.texts[f.last], want)
	a.check(t, from)
	a.check(t, to)
}

func (a *arranger) restore(t *rapid.T) {
	path := a.path(t)
	f := a.files[path]
	n := rapid.Int64Range(1, f.last+1).Draw(t, "version")
	text, there := f.texts[n]
	r, err := a.ws.RestoreFile(t.Context(), path, workspace.RestoreOptions{Version: n})
	if !there {
		if !errors.Is(err, workspace.ErrNotFound) {
			t.Fatalf("RestoreFile(%q, %d) = %+v, %v, want ErrNotFound", path, n, r, err)
		}
		return
	}
	if err != nil || r.Version != f.last+1 {
		t.Fatalf("RestoreFile(%q, %d) = %+v, %v, want version %d", path, n, r, err, f.last+1)
	}
	a.put(path, text, f.last+1)
	a.check(t, path)
}

// forget raises the floor to the numbers of all deleted paths, as a deletion does when
// there are too many.
func (a *arranger) forget(t *rapid.T) {
	err := a.store.Update(t.Context(), port.Owner{Tenant: "local", Agent: a.agent}, func(tx port.Tx) error {
		state, err := tx.Owner()
		if err != nil || state.DeletedFiles == 0 {
			return err
		}
		highest, err := tx.ForgetDeleted(workspace.KindFile, int(state.DeletedFiles))
		state.FileFloor, state.DeletedFiles = max(state.FileFloor, highest), 0
		return errors.Join(err, tx.Apply(state))
	})
	testkit.Must(t, err)
	for path, f := range a.files {
		if f.texts == nil {
			a.floor = max(a.floor, f.last)
			delete(a.files, path)
		}
	}
}

// check compares what can be read at a path with the model, and with all that was seen
// there before.
func (a *arranger) check(t *rapid.T, path string) {
	f := a.files[path]
	history, err := a.ws.History(t.Context(), path)
	if f.texts == nil {
		if !errors.Is(err, workspace.ErrNotFound) {
			t.Fatalf("History(%q) = %v, %v, want ErrNotFound", path, history, err)
		}
		return
	}
	got := map[int64]string{}
	for _, v := range history {
		r, err := a.ws.ReadFile(t.Context(), path, workspace.ReadOptions{Version: v.Version})
		testkit.Must(t, err)
		text := string(r.Content)
		got[v.Version] = text
		key := fmt.Sprintf("%s@%d", path, v.Version)
		if before, seen := a.said[key]; seen && before != text {
			t.Fatalf("%s was %q, and is %q", key, before, text)
		}
		a.said[key] = text
	}
	if diff := cmp.Diff(f.texts, got); err != nil || diff != "" {
		t.Fatalf("the versions of %s: %v, -want +got:\n%s", path, err, diff)
	}
	for since := int64(1); since < f.last; since++ {
		a.checkSince(t, path, since)
	}
}

// checkSince checks that a diff begins with what a reader saw at a number.
func (a *arranger) checkSince(t *rapid.T, path string, since int64) {
	r, err := a.ws.ReadFile(t.Context(), path, workspace.ReadOptions{Since: since, Context: -1})
	testkit.Must(t, err)
	f := a.files[path]
	_, retained := f.texts[since]
	if r.VersionTooOld == retained || r.Current != f.last {
		t.Fatalf("ReadFile(%q) since %d: too old %v, current %d; want %v, %d", path, since, r.VersionTooOld, r.Current, !retained, f.last)
	}
	if r.Diff == nil {
		if string(r.Content) != f.texts[f.last] {
			t.Fatalf("ReadFile(%q) since %d has %q, want %q", path, since, r.Content, f.texts[f.last])
		}
		return
	}
	var old, current []string
	for _, c := range r.Diff {
		if c.Op != linediff.Add {
			old = append(old, c.Lines...)
		}
		if c.Op != linediff.Remove {
			current = append(current, c.Lines...)
		}
	}
	for name, texts := range map[string][2]string{"old": {joined(old), a.said[fmt.Sprintf("%s@%d", path, since)]}, "current": {joined(current), f.texts[f.last]}} {
		if texts[0] != texts[1] {
			t.Fatalf("ReadFile(%q) since %d compares with the %s text %q, want %q", path, since, name, texts[0], texts[1])
		}
	}
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// checkCounters compares the counters of the agent with the model. The counters are also
// recounted by sqlite's Verify.
func (a *arranger) checkCounters(t *rapid.T) {
	var got port.OwnerState
	var heads []workspace.File
	err := a.store.View(t.Context(), port.Owner{Tenant: "local", Agent: a.agent}, func(r port.Reader) (err error) {
		if got, err = r.Owner(); err == nil {
			var page port.Scanned
			page, err = r.Scan(port.ScanQuery{Kind: workspace.KindFile, Limit: 10})
			heads = page.Files
		}
		return err
	})
	testkit.Must(t, err)
	want := port.OwnerState{FileFloor: a.floor, Revision: got.Revision, Changes: got.Revision, Updated: got.Updated}
	want.Operations = got.Operations
	var paths, listed []string
	for path, f := range a.files {
		if f.texts == nil {
			want.DeletedFiles++
			continue
		}
		want.Files++
		want.Versions += int64(len(f.texts))
		for _, text := range f.texts {
			want.Bytes += int64(len(text))
		}
		paths = append(paths, path)
	}
	for _, h := range heads {
		listed = append(listed, h.Path)
	}
	slices.Sort(paths)
	if got != want || !slices.Equal(paths, listed) {
		t.Fatalf("the counters are %+v with the files %q, want %+v and %q", got, listed, want, paths)
	}
}
