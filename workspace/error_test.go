package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func newStore(t testing.TB) workspace.Store {
	s := memstore.New()
	t.Cleanup(func() { s.Close() })
	return s
}

// pathCalls makes every call that takes a path, and yields its name and error.
func pathCalls(ctx context.Context, ws *workspace.Workspace, path string) iter.Seq2[string, error] {
	calls := map[string]func() error{
		"WriteFile":  func() error { return testkit.Err(ws.WriteFile(ctx, path, []byte("x"), workspace.WriteOptions{})) },
		"EditFile":   func() error { return testkit.Err(ws.EditFile(ctx, path, "x", "y", workspace.EditOptions{})) },
		"ReadFile":   func() error { return testkit.Err(ws.ReadFile(ctx, path, workspace.ReadOptions{})) },
		"History":    func() error { return testkit.Err(ws.History(ctx, path)) },
		"AppendLog":  func() error { return testkit.Err(ws.AppendLog(ctx, path, []byte("x"))) },
		"ReadLog":    func() error { return testkit.Err(ws.ReadLog(ctx, path, workspace.ReadLogOptions{})) },
		"DeleteFile": func() error { return testkit.Err(ws.DeleteFile(ctx, path, workspace.DeleteOptions{})) },
		"DeleteLog":  func() error { return testkit.Err(ws.DeleteLog(ctx, path, workspace.DeleteLogOptions{})) },
	}
	return func(yield func(string, error) bool) {
		for name, call := range calls {
			if !yield(name, call()) {
				return
			}
		}
	}
}

// allCalls makes every call that takes a context.
func allCalls(ctx context.Context, svc *workspace.Service, ws *workspace.Workspace) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range pathCalls(ctx, ws, "a") {
			if !yield(name, err) {
				return
			}
		}
		_, err1 := ws.ListFiles(ctx, workspace.ListOptions{})
		_, err2 := ws.ListLogs(ctx, workspace.ListOptions{})
		_, err3 := ws.Usage(ctx)
		_, err4 := svc.Agents(ctx, workspace.AgentsQuery{Patterns: []string{"*"}})
		_, err5 := svc.DeleteAgent(ctx, ws.Agent())
		_, err6 := fs.ReadFile(workspace.FS(ctx, ws), "a")
		_, err7 := fs.ReadDir(workspace.FS(ctx, ws), ".")
		_, err8 := fs.Stat(workspace.FS(ctx, ws), "a")
		_ = yield("ListFiles", err1) && yield("ListLogs", err2) && yield("Usage", err3) && yield("Agents", err4) &&
			yield("DeleteAgent", err5) && yield("FS.ReadFile", err6) && yield("FS.ReadDir", err7) && yield("FS.Stat", err8)
	}
}

// settled is a service with an agent that has a file and a log, its operations
// all counted, and a function that tells whether anything changed since.
func settled(t *testing.T) (*workspace.Service, *workspace.Workspace, func() string) {
	t.Helper()
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "agent-1")
	write(t, ws, "a", "x")
	appendLog(t, ws, "a", "x")
	want := usage(t, ws)
	return svc, ws, func() string {
		want.Operations++
		switch got := usage(t, ws); {
		case got != want:
			return "the usage is no longer what it was, with nothing stored and no call counted"
		case string(read(t, ws, "a", workspace.ReadOptions{}).Content) != "x":
			return "the file is not what it was"
		}
		want.Operations++
		return ""
	}
}

// noContext is nil, in a way that no checker takes for a slip.
var noContext context.Context

func TestNilContext(t *testing.T) {
	svc, ws, changed := settled(t)
	for name, err := range allCalls(noContext, svc, ws) {
		wantErr(t, name+" without a context", err, workspace.ErrInvalid, "context is nil")
	}
	if what := changed(); what != "" {
		t.Error(what)
	}
	wantErr(t, "Close without a context", svc.Close(noContext), workspace.ErrInvalid, "context is nil")
}

func TestEndedContext(t *testing.T) {
	svc, ws, changed := settled(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{cancelled, late} {
		for name, err := range allCalls(ctx, svc, ws) {
			if !errors.Is(err, ctx.Err()) {
				t.Errorf("%s with a context that ended = %v, want %v", name, err, ctx.Err())
			}
			for _, kind := range kinds {
				if errors.Is(err, kind) && kind != workspace.ErrBusy {
					t.Errorf("%s with a context that ended = %v, which is also of the kind %v", name, err, kind)
				}
			}
		}
		if what := changed(); what != "" {
			t.Errorf("after calls with %v: %s", ctx.Err(), what)
		}
	}
}

func TestClosedStore(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "agent-1")
	write(t, ws, "a", "x")
	testkit.Must(t, store.Close())
	for name, err := range allCalls(t.Context(), svc, ws) {
		wantErr(t, name+" on a closed store", err, workspace.ErrClosed)
	}
}

func TestNewRefuses(t *testing.T) {
	_, err := workspace.New(nil, workspace.Options{})
	wantErr(t, "New without a store", err, workspace.ErrInvalid, "store is nil")
	for i := range reflect.TypeFor[workspace.Limits]().NumField() {
		var l workspace.Limits
		reflect.ValueOf(&l).Elem().Field(i).SetInt(-1)
		_, err := workspace.New(newStore(t), workspace.Options{Limits: l})
		wantErr(t, "New with a negative limit", err, workspace.ErrInvalid, reflect.TypeOf(l).Field(i).Name, "-1")
	}
}

// hostile are names and texts that swell in an error: control characters, what
// is escaped, what costs a token a byte.
var hostile = map[string]string{
	"long":       strings.Repeat("x", 1<<16),
	"words":      strings.Repeat("/etc/passwd ", 1<<12),
	"NUL":        strings.Repeat("\x00", 1<<10),
	"invalid":    strings.Repeat("\xff", 1<<10),
	"quotes":     strings.Repeat(`"\`, 1<<10),
	"newlines":   strings.Repeat("\n", 1<<10),
	"emoji":      strings.Repeat("👩‍👩‍👧", 1<<8),
	"smiles":     strings.Repeat("🙂", 1<<12),
	"tags":       strings.Repeat("\U000E0041", 1<<10),
	"unassigned": strings.Repeat("\U0003FFFE", 1<<10),
	"cuneiform":  strings.Repeat("𒀀𒁹", 1<<10),
	"percent":    strings.Repeat("%!s(%d)", 1<<8),
}

// An error is at most 400 bytes and 200 tokens, whatever name it was given:
// hasKind sees to both.
func TestErrorsAreShort(t *testing.T) {
	testkit.SkipInShort(t)
	svc, ws, _ := settled(t)
	for name, bad := range hostile {
		t.Run(name, func(t *testing.T) {
			for method, err := range pathCalls(t.Context(), ws, bad) {
				wantErr(t, method, err, workspace.ErrInvalid)
			}
			_, err := svc.Agent(bad)
			wantErr(t, "Agent", err, workspace.ErrInvalid)
			_, err = ws.ListFiles(t.Context(), workspace.ListOptions{Prefix: bad})
			wantErr(t, "ListFiles, prefix", err, workspace.ErrInvalid)
			_, err = ws.ListLogs(t.Context(), workspace.ListOptions{After: bad})
			wantErr(t, "ListLogs, after", err, workspace.ErrInvalid)
			_, err = ws.WriteFile(t.Context(), strings.Repeat("p", 255), nil, workspace.WriteOptions{IdempotencyKey: bad})
			wantErr(t, "WriteFile, key", err, workspace.ErrInvalid)
		})
	}
}

// What an edit quotes of a file is as short.
func TestEditErrorsAreShort(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	path := strings.Repeat("p", 255)
	for name, line := range hostile {
		t.Run(name, func(t *testing.T) {
			line = strings.ToValidUTF8(line, "?")
			write(t, ws, path, line)
			old := line + "no"
			_, err := ws.EditFile(t.Context(), path, old, "new", workspace.EditOptions{})
			wantErr(t, "EditFile", err, workspace.ErrConflict, "does not occur")
		})
	}
}

// wordsOfTools are terms unlike those of Go.
var wordsOfTools = port.Words{
	Arg: map[port.Arg]string{port.ArgSince: "since_version", port.ArgIfVersion: "if_version", port.ArgOld: "old_text"},
	Way: func(e *workspace.Error) string {
		if e.Way.Do == port.DoList {
			return "list_files shows them"
		}
		return ""
	},
	NoKind: true,
}

// fieldTests are calls that fail, with the fields and the texts of their errors: in the
// terms of Go, and in those of wordsOfTools.
var fieldTests = []struct {
	call        func(*workspace.Workspace) error
	op, object  string
	kind        error
	way         port.Way
	quota       *workspace.Quota
	text, other string
}{
	{putAt("plan.md", "x", 1), "write", "plan.md", workspace.ErrConflict, port.Way{Do: port.DoReadSince, N: 1}, nil,
		"write plan.md: it is at version 2, IfVersion is 1; read it with Since 1 to see what changed: conflict",
		"write plan.md: it is at version 2, if_version is 1; read it with since_version 1 to see what changed"},
	{getWith("plan", workspace.ReadOptions{}), "read", "plan", workspace.ErrNotFound, port.Way{Do: port.DoUseName, Name: "plan.md"}, nil,
		"read plan: there is no such file; the nearest name is plan.md: not found",
		"read plan: there is no such file; the nearest name is plan.md"},
	{getWith("zzzzzz", workspace.ReadOptions{}), "read", "zzzzzz", workspace.ErrNotFound, port.Way{Do: port.DoList}, nil,
		"read zzzzzz: there is no such file; ListFiles shows those that exist: not found",
		"read zzzzzz: there is no such file; list_files shows them"},
	{getWith("plan.md", workspace.ReadOptions{Version: 7}), "read", "plan.md", workspace.ErrNotFound, port.Way{Do: port.DoUseVersion, N: 2}, nil,
		"read plan.md: version 7 is not kept, versions 1 to 2 are: not found",
		"read plan.md: version 7 is not kept, versions 1 to 2 are"},
	{putAt("third", "x", 0), "write", "third", workspace.ErrQuota, port.Way{Do: port.DoDelete},
		&workspace.Quota{Of: port.FileCount, Used: 2, Adds: 1, Limit: 2},
		"write third: file limit reached (2 of 2), this write adds 1; delete what is not needed: quota exceeded",
		"write third: file limit reached (2 of 2), this write adds 1; delete what is not needed"},
	{putAt("plan.md", fmt.Sprintf("%061d", 0), 2), "write", "plan.md", workspace.ErrTooLarge, port.Way{Do: port.DoSplitFile},
		&workspace.Quota{Of: port.FileBytes, Adds: 61, Limit: 60},
		"write plan.md: 61 bytes, limit 60; split it into several files: too large",
		"write plan.md: 61 bytes, limit 60; split it into several files"},
	// What stands in a file is quoted as it is, whatever it says.
	{editOld("quotes", "Since, IfVersion and old are no names"), "edit", "quotes", workspace.ErrConflict, port.Way{}, nil,
		`edit quotes: old does not occur; the nearest is line 1: "Since, IfVersion and old are names in Go": conflict`,
		`edit quotes: old_text does not occur; the nearest is line 1: "Since, IfVersion and old are names in Go"`},
	{getWith("a*b", workspace.ReadOptions{}), "read", "a*b", workspace.ErrInvalid, port.Way{}, nil,
		"read path a*b: byte 2 is '*'; allowed are a-z A-Z 0-9 / _ . -: invalid",
		"read path a*b: byte 2 is '*'; allowed are a-z A-Z 0-9 / _ . -"},
	{putAt("a b", "x", 0), "write", "a b", workspace.ErrInvalid, port.Way{Do: port.DoUnicodePaths}, nil,
		"write path a b: byte 2 is ' '; allowed are a-z A-Z 0-9 / _ . -; UnicodePaths allow it: invalid",
		"write path a b: byte 2 is ' '; allowed are a-z A-Z 0-9 / _ . -; UnicodePaths allow it"},
}

func putAt(path, content string, at int64) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.WriteFile(context.Background(), path, []byte(content), workspace.WriteOptions{IfVersion: &at})
		return err
	}
}

func editOld(path, old string) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.EditFile(context.Background(), path, old, "new", workspace.EditOptions{})
		return err
	}
}

func getWith(path string, o workspace.ReadOptions) func(*workspace.Workspace) error {
	return func(ws *workspace.Workspace) error {
		_, err := ws.ReadFile(context.Background(), path, o)
		return err
	}
}

// A program reads what it needs from the fields, and a front end words the error in
// its own terms.
func TestErrorFields(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Files: 2, FileBytes: 60}})
	write(t, ws, "plan.md", "one")
	write(t, ws, "plan.md", "two")
	write(t, ws, "quotes", "Since, IfVersion and old are names in Go")
	appendLog(t, ws, "notes", "entry")
	for _, c := range fieldTests {
		err := c.call(ws)
		var e *workspace.Error
		if !errors.As(err, &e) {
			t.Errorf("%v is not an Error", err)
			continue
		}
		if e.Op != c.op || e.Object != c.object || e.Kind != c.kind || e.Way != c.way || !errors.Is(err, c.kind) || workspace.Kind(err) != c.kind {
			t.Errorf("%v has the fields %q, %q, %v, %+v; want %q, %q, %v, %+v", err, e.Op, e.Object, e.Kind, e.Way, c.op, c.object, c.kind, c.way)
		}
		if diff := cmp.Diff(c.quota, e.Quota); diff != "" {
			t.Errorf("%v has another quota (-want +got):\n%s", err, diff)
		}
		if err.Error() != c.text || e.Text(wordsOfTools) != c.other {
			t.Errorf("the texts are\n%s\n%s\nwant\n%s\n%s", err, e.Text(wordsOfTools), c.text, c.other)
		}
	}
}

// The error of a backend is the cause, in its own words, and has the kind in it.
func TestErrorOfBackend(t *testing.T) {
	disk := errors.New("no space on the disk")
	full := fmt.Errorf("%w: %w", disk, workspace.ErrStorageFull)
	for _, c := range []struct {
		err               *workspace.Error
		text, withoutKind string
	}{
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrStorageFull, Err: full}, "write f: no space on the disk: storage full", "write f: no space on the disk: storage full"},
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrStorageFull, Err: disk}, "write f: no space on the disk: storage full", "write f: no space on the disk"},
		{&workspace.Error{Op: "write", Object: "f", Kind: workspace.ErrClosed}, "write f: closed", "write f: closed"},
		{&workspace.Error{Op: "write", Object: "f", Err: disk}, "write f: no space on the disk", "write f: no space on the disk"},
		{workspace.Errorf(workspace.ErrInvalid, "%s is %d", port.ArgIfVersion, 3), "IfVersion is 3: invalid", "if_version is 3"},
		{&workspace.Error{Op: "save", Object: "g", Err: workspace.Errorf(workspace.ErrInvalid, "%s is wrong", port.ArgOld)}, "save g: old is wrong: invalid", "save g: old_text is wrong"},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("Error() = %q, want %q", got, c.text)
		}
		if got := c.err.Text(wordsOfTools); got != c.withoutKind {
			t.Errorf("Text() = %q, want %q", got, c.withoutKind)
		}
		if c.err.Kind != nil && !errors.Is(c.err, c.err.Kind) || c.err.Err == disk && !errors.Is(c.err, disk) {
			t.Errorf("%v does not wrap its kind and its cause", c.err)
		}
	}
}

// writeDamaged stores a version of an agent's file f whose SHA-256 is another one's.
func writeDamaged(t testing.TB, store workspace.Store, agent, content string) {
	t.Helper()
	testkit.Must(t, store.Update(t.Context(), port.Owner{Tenant: "local", Agent: agent}, func(tx port.Tx) error {
		l, err := tx.Load(port.Query{File: "f"})
		if err != nil {
			return err
		}
		head := l.File
		v := workspace.Version{Number: head.Version + 1, Size: int64(len(content)), Content: []byte(content)}
		head.Version, head.Sizes = v.Number, append(head.Sizes, v.Size)
		return tx.Apply(port.FileChange{Head: head, New: &v, Owner: l.Owner})
	}))
}

// If stored bytes are not those that were written, the error is ErrCorrupt and names
// them. Other content is not affected, and a new version heals the file.
func TestCorrupt(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "f", plan(50))
		write(t, ws, "g", plan(50))
		appendLog(t, ws, "l", "x")
		appendLog(t, ws, "m", "x")
	}
	writeDamaged(t, store, "a", "bad")
	err := store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		l, err := tx.Load(port.Query{Log: "l"})
		if err != nil {
			return err
		}
		log := l.Log
		e := workspace.Entry{ID: log.Last + 1, Content: []byte("bad")}
		log.Last++
		return tx.Apply(port.LogChange{Head: log, New: []workspace.Entry{e}, Owner: l.Owner})
	})
	testkit.Must(t, err)
	for _, o := range []workspace.ReadOptions{{}, {Version: 4}, {Since: 3}, {FromLine: 1, ToLine: 1}} {
		_, err := ws.ReadFile(t.Context(), "f", o)
		wantErr(t, "ReadFile of a damaged version", err, workspace.ErrCorrupt, "read f: ", "version 4", "SHA-256")
	}
	_, err = ws.EditFile(t.Context(), "f", "bad", "good", workspace.EditOptions{})
	wantErr(t, "EditFile of a damaged version", err, workspace.ErrCorrupt, "edit f: ", "version 4")
	_, err = ws.ReadLog(t.Context(), "l", workspace.ReadLogOptions{})
	wantErr(t, "ReadLog with a damaged entry", err, workspace.ErrCorrupt, "read log l: ", "entry 4")

	_, err = ws.ViewLog(t.Context(), "l", workspace.LogQuery{})
	wantErr(t, "ViewLog with a damaged entry", err, workspace.ErrCorrupt, "entry 4")
	if page := readLog(t, ws, "l", workspace.ReadLogOptions{Limit: 3}); len(page.Entries) != 3 {
		t.Errorf("the page before the damaged entry = %+v, want three entries", page)
	}
	if page := readLog(t, ws, "m", workspace.ReadLogOptions{}); len(page.Entries) != 3 {
		t.Errorf("another log = %+v, want three entries", page)
	}
	for n := int64(1); n <= 3; n++ {
		read(t, ws, "g", workspace.ReadOptions{Version: n})
	}
	write(t, ws, "f", plan(50))
	if r := read(t, ws, "f", workspace.ReadOptions{}); string(r.Content) != plan(50) || r.Current != 5 {
		t.Errorf("a new version over a damaged one = %+v, want version 5", r)
	}
	_, err = ws.ReadFile(t.Context(), "f", workspace.ReadOptions{Since: 4})
	wantErr(t, "ReadFile since a damaged version", err, workspace.ErrCorrupt, "version 4")
}
