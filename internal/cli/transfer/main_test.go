package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killVariable); dir != "" {
		beKilled(dir)
		return
	}
	testkit.Checks{Checks: 4, Long: 20, Full: 300, Short: 3, Steps: 30}.Set()
	remove := testkit.TempInMemory()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { remove(); os.Exit(code) }))
}

// onBothStores runs a test with a function that makes new, empty stores.
func onBothStores(t *testing.T, fn func(t *testing.T, open func(t rapid.TB) (workspace.Store, func()))) {
	t.Run("memstore", func(t *testing.T) {
		fn(t, func(rapid.TB) (workspace.Store, func()) { s := memstore.New(); return s, func() { s.Close() } })
	})
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		n := 0
		fn(t, func(t rapid.TB) (workspace.Store, func()) {
			n++
			s, err := sqlite.Open(context.Background(), filepath.Join(dir, fmt.Sprint(n, ".db")), sqlite.Options{})
			testkit.Must(t, err)
			return s, func() {
				report, err := s.Verify(context.Background(), sqlite.VerifyOptions{})
				if err != nil || len(report.Problems) > 0 {
					t.Errorf("Verify = %v, %v", report.Problems, err)
				}
				s.Close()
			}
		})
	})
}

func agent(t rapid.TB, store workspace.Store, name string, o workspace.Options) *workspace.Workspace {
	t.Helper()
	svc, err := workspace.New(store, o)
	testkit.Must(t, err)
	ws, err := svc.Look(name)
	testkit.Must(t, err)
	return ws.As(workspace.Author{Client: "importer"})
}

// memory returns an agent of a new store in memory.
func memory(t testing.TB, o workspace.Options) *workspace.Workspace {
	store := memstore.New()
	t.Cleanup(func() { store.Close() })
	return agent(t, store, "a", o)
}

func write(t rapid.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	testkit.Must(t, testkit.Err(ws.WriteFile(context.Background(), path, []byte(content), workspace.WriteOptions{})))
}

func appendLog(t rapid.TB, ws *workspace.Workspace, path string, entries ...string) {
	t.Helper()
	for _, e := range entries {
		testkit.Must(t, testkit.Err(ws.AppendLog(context.Background(), path, []byte(e))))
	}
}

// state is everything that an agent keeps, one line a version or an entry: the current
// versions alone, or all.
func state(t rapid.TB, ws *workspace.Workspace, versions bool) (lines []string) {
	t.Helper()
	ctx := context.Background()
	files, err := ws.ListFiles(ctx, workspace.ListOptions{})
	testkit.Must(t, err)
	for _, f := range files.Files {
		history, err := ws.History(ctx, f.Path)
		testkit.Must(t, err)
		if !versions {
			history = history[len(history)-1:]
		}
		for _, v := range history {
			if v.Redacted != nil {
				lines = append(lines, fmt.Sprintf("redacted %s %d %v %s %s %+v", f.Path, v.Version, v.Author, v.Project, v.Time.UTC(), *v.Redacted))
				continue
			}
			r, err := ws.ReadFile(ctx, f.Path, workspace.ReadOptions{Version: v.Version})
			testkit.Must(t, err)
			lines = append(lines, fmt.Sprintf("file %s %d %v %s %s %q", f.Path, v.Version, v.Author, v.Project, v.Time.UTC(), r.Content))
		}
	}
	logs, err := ws.ListLogs(ctx, workspace.ListOptions{})
	testkit.Must(t, err)
	for _, l := range logs.Logs {
		for o := (workspace.ReadLogOptions{}); ; {
			page, err := ws.ReadLog(ctx, l.Path, o)
			testkit.Must(t, err)
			for _, e := range page.Entries {
				lines = append(lines, fmt.Sprintf("log %s %d %v %s %q", l.Path, e.ID, e.Author, e.Time.UTC(), e.Content))
			}
			if o.Since = page.Last; !page.More {
				break
			}
		}
	}
	return lines
}

func export(t rapid.TB, ws *workspace.Workspace, dir string, versions bool) transfer.Exported {
	t.Helper()
	sum, err := transfer.Export(context.Background(), ws, dir, transfer.ExportOptions{Versions: versions, Database: "db"})
	testkit.Must(t, err)
	return sum
}

// exported exports into a new folder.
func exported(t *testing.T, ws *workspace.Workspace, versions bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	export(t, ws, dir, versions)
	return dir
}

func importAll(t rapid.TB, ws *workspace.Workspace, dir string) transfer.Imported {
	t.Helper()
	r, err := transfer.Import(context.Background(), ws, dir, transfer.ImportOptions{})
	testkit.Must(t, err)
	return r
}

// tree are the names below a folder with their contents, but for the manifest's first
// line.
func tree(t rapid.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	testkit.Must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		if rel == "manifest.json" {
			_, after, _ := strings.Cut(string(b), "\n")
			b = []byte(after)
		}
		all[rel] = string(b)
		return err
	}))
	return all
}

// drawPath draws a path: plain ones, and those that are hard to keep in a file system.
func drawPath(t *rapid.T) string {
	segment := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "A", "b", "B", "ab", "Ab", "AB", "aB", "con", "CON", "Nul.txt", "nul.", "com1", "LPT9.x", "aux.a", "x.", "x", ".x", "-", "a.jsonl", "manifest.json", "files"}),
		rapid.StringMatching(`[a-cA-C_.-]{1,6}`),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "A", "-"}).Draw(t, "letter"), rapid.IntRange(190, 255).Draw(t, "times"))
		}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(segment, 1, 4).Draw(t, "segments"), "/")
	}).Filter(func(path string) bool { _, err := workspace.ParsePath(path); return err == nil }).Draw(t, "path")
}

func isKind(err error, kinds ...error) bool {
	for _, k := range kinds {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}
