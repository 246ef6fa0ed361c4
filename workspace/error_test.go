package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func newStore(t testing.TB) workspace.Store {
	s := memstore.New()
	t.Cleanup(func() { s.Close() })
	return s
}

// pathCalls makes every call that takes a path, and yields its name and error.
func pathCalls(ctx context.Context, ws *workspace.Workspace, path string) iter.Seq2[string, error] {
	calls := map[string]func() error{
		"WriteFile": func() error {
			_, err := ws.WriteFile(ctx, path, []byte("x"), workspace.WriteOptions{})
			return err
		},
		"EditFile": func() error {
			_, err := ws.EditFile(ctx, path, "x", "y", workspace.EditOptions{})
			return err
		},
		"ReadFile": func() error {
			_, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
			return err
		},
		"History": func() error {
			_, err := ws.History(ctx, path)
			return err
		},
		"AppendLog": func() error {
			_, err := ws.AppendLog(ctx, path, []byte("x"))
			return err
		},
		"AppendLogWith": func() error {
			_, err := ws.AppendLogWith(ctx, path, workspace.AppendOptions{IdempotencyKey: "k"}, []byte("x"))
			return err
		},
		"ReadLog": func() error {
			_, err := ws.ReadLog(ctx, path, workspace.ReadLogOptions{})
			return err
		},
		"DeleteFile": func() error {
			_, err := ws.DeleteFile(ctx, path, workspace.DeleteOptions{})
			return err
		},
		"DeleteLog": func() error {
			_, err := ws.DeleteLog(ctx, path, workspace.DeleteOptions{})
			return err
		},
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
		_, err4 := svc.Agents(ctx, "", 0)
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
	for name, l := range map[string]workspace.Limits{
		"FileBytes": {FileBytes: -1}, "EntryBytes": {EntryBytes: -1}, "Versions": {Versions: -1}, "Files": {Files: -1},
		"Logs": {Logs: -1}, "Entries": {Entries: -1}, "Bytes": {Bytes: -1},
	} {
		_, err := workspace.New(newStore(t), workspace.Options{Limits: l})
		wantErr(t, "New with a negative limit", err, workspace.ErrInvalid, name, "-1")
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
