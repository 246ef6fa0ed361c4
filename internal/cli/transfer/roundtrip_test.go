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

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// drawText draws UTF-8 of any kind.
func drawText(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "\x00", "a\r\nb\r\n", "no newline", "\n", "\u2028</script>\ufeff", "\U0001f600\xef\xbf\xbd", strings.Repeat("x\n", 3000)}),
	).Draw(t, "text")
}

// fill gives an agent files with histories, logs, deletions and trims.
func fill(t *rapid.T, ws *workspace.Workspace) {
	ctx := context.Background()
	paths := rapid.SliceOfN(rapid.Custom(drawPath), 1, 12).Draw(t, "paths")
	path := rapid.SampledFrom(paths)
	project := rapid.SampledFrom([]string{"", "shop"}).Draw(t, "project")
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		p := path.Draw(t, "path")
		by := ws.As(workspace.Author{Client: rapid.SampledFrom([]string{"", "c", "d\x00"}).Draw(t, "client"), Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key")})
		switch rapid.IntRange(0, 10).Draw(t, "step") {
		case 0, 1, 2, 3:
			write(t, by.From(project), p, drawText(t))
		case 4, 5, 6, 7:
			appendLog(t, by, p, drawText(t))
		case 8:
			testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, p, workspace.DeleteOptions{})))
		case 10:
			if _, err := by.RedactVersion(ctx, p, rapid.Int64Range(1, 4).Draw(t, "version"), workspace.RedactOptions{}); !isKind(err, nil, workspace.ErrNotFound, workspace.ErrConflict) {
				testkit.Must(t, err)
			}
		case 9:
			if page, err := ws.ReadLog(ctx, p, workspace.ReadLogOptions{}); err == nil && len(page.Entries) > 0 {
				testkit.Must(t, testkit.Err(ws.TrimLog(ctx, p, page.Entries[0].ID, workspace.TrimLogOptions{})))
			}
		}
	}
}

// What is exported and imported into an agent that is new has the same bytes, numbers,
// authors and times. An export of that one is the same again, and a second import changes
// nothing.
func TestRoundTrip(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		base, n := t.TempDir(), 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			dir, again := filepath.Join(base, fmt.Sprint(n)), filepath.Join(base, fmt.Sprint(n, "-again"))
			defer os.RemoveAll(dir)
			defer os.RemoveAll(again)
			store, done := open(t)
			defer done()
			from := agent(t, store, "from", workspace.Options{Limits: workspace.Limits{Versions: 4}})
			fill(t, from)
			versions := rapid.Bool().Draw(t, "versions")
			export(t, from, dir, versions)

			other, otherDone := open(t)
			defer otherDone()
			to := agent(t, other, "to", workspace.Options{})
			dry, err := transfer.Import(context.Background(), to, dir, transfer.ImportOptions{DryRun: true})
			testkit.Must(t, err)
			if left := state(t, to, true); len(left) > 0 {
				t.Fatalf("a dry run stored %q", left)
			}
			done1 := importAll(t, to, dir)
			if diff := cmp.Diff(state(t, from, versions), state(t, to, true)); diff != "" {
				t.Fatalf("after the import (-want +got):\n%s", diff)
			}
			for i, c := range done1.Changes {
				c.Version = 0
				if i >= len(dry.Changes) || dry.Changes[i] != c {
					t.Errorf("the dry run said %+v, and the import did %+v", dry.Changes, done1.Changes)
				}
			}
			if second := importAll(t, to, dir); len(second.Changes) > 0 || len(second.LeftOut) > 0 {
				t.Fatalf("a second import did %+v", second)
			}
			if own := importAll(t, from, dir); len(own.Changes) > 0 {
				t.Fatalf("an import into the agent of the export did %+v", own)
			}
			export(t, to, again, versions)
			if diff := cmp.Diff(tree(t, dir), tree(t, again)); diff != "" {
				t.Fatalf("the export of what was imported (-first +second):\n%s", diff)
			}
		})
	})
}

// A file of 1 MiB and a log of many pages come back.
func TestRoundTripLarge(t *testing.T) {
	testkit.SkipInShort(t)
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		from, to := agent(t, store, "from", workspace.Options{}), agent(t, store, "to", workspace.Options{})
		for i := range 3 {
			write(t, from, "large", strings.Repeat(string(rune('a'+i)), 1<<20))
		}
		var entries [][]byte
		for i := range 1100 {
			entries = append(entries, fmt.Append(nil, "entry ", i%7))
		}
		entries = append(entries, []byte(strings.Repeat("\x00", 64<<10)))
		_, err := from.AppendLog(t.Context(), "log", entries...)
		testkit.Must(t, err)
		dir := filepath.Join(t.TempDir(), "x")
		if sum := export(t, from, dir, true); sum.Files != 1 || sum.Versions != 3 || sum.Entries != 1101 || sum.Bytes < 3<<20 {
			t.Errorf("Export = %+v", sum)
		}
		r := importAll(t, to, dir)
		if diff := cmp.Diff(state(t, from, true), state(t, to, true)); diff != "" || len(r.Changes) != 2 {
			t.Errorf("changes %+v (-want +got):\n%.2000s", r.Changes, diff)
		}
	})
}

// folderOf makes a folder with files of one text.
func folderOf(t *testing.T, text string, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		name = filepath.Join(dir, filepath.FromSlash(name))
		testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testkit.Must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return dir
}

// An import skips hidden names, what programs make for themselves, and bare repositories, and says so. With
// All it imports them. A name that people use too is imported.
func TestImportSkips(t *testing.T) {
	t.Parallel()
	meant := []string{"n.md", "sub/m.md", "build/plan.md", "vendor/acme.md", "target/goals.md", "node_modules.md", "HEAD", "objects/x", "git/HEAD"}
	skipped := []string{
		".git/config", ".env", "sub/.DS_Store", ".obsidian/app.json", "node_modules/a/index.js", "sub/Node_Modules/b.js", "py/__pycache__/a.txt", "Thumbs.db",
		"bare/HEAD", "bare/config", "bare/objects/x", "bare/refs/x",
	}
	dir := folderOf(t, "secret-token", slices.Concat(meant, skipped)...)

	ws := memory(t, workspace.Options{})
	r := importAll(t, ws, dir)
	want := slices.Sorted(slices.Values(meant))
	if got := slices.Sorted(maps.Keys(current(t, ws))); !slices.Equal(got, want) || len(r.LeftOut) > 0 {
		t.Errorf("imported %q, want %q; left out: %+v", got, want, r.LeftOut)
	}
	says := []string{".env", ".git", ".obsidian", "Thumbs.db", "bare", "node_modules", "py/__pycache__", "sub/.DS_Store", "sub/Node_Modules"}
	if diff := cmp.Diff(says, r.Skipped); diff != "" || r.Passed != 0 {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}

	ws = memory(t, workspace.Options{})
	r = importWith(t, ws, dir, transfer.ImportOptions{All: true})
	if got, want := len(current(t, ws)), len(meant)+len(skipped); got != want || len(r.Skipped)+len(r.LeftOut) > 0 {
		t.Errorf("with All %d were imported, want %d: %+v", got, want, r)
	}
}

// What an export lists is the agent's own, however it is called. A hidden name that came
// into the folder later is skipped.
func TestImportSkipsInExport(t *testing.T) {
	t.Parallel()
	from := memory(t, workspace.Options{})
	for _, path := range []string{".hidden", ".notes/a", "node_modules/b"} {
		write(t, from, path, "x")
	}
	dir := exported(t, from, false)
	for _, name := range []string{".DS_Store", ".notes/.DS_Store", ".notes/new", ".git/config"} {
		testkit.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, "files", name)), 0o700))
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "files", name), []byte("y"), 0o600))
	}
	to := memory(t, workspace.Options{})
	r := importAll(t, to, dir)
	if diff := cmp.Diff(map[string]string{".hidden": "x", ".notes/a": "x", ".notes/new": "y", "node_modules/b": "x"}, current(t, to)); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"files/.DS_Store", "files/.git", "files/.notes/.DS_Store"}, r.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// anyScript are paths that only UnicodePaths allow.
var anyScript = []string{"Überblick/Straße 1.md", "Überblick", "メモ/今日.md", "заметки.md", "Заметки.md", strings.Repeat("長", 255), "ทำ.md"}

func importWith(t rapid.TB, ws *workspace.Workspace, dir string, o transfer.ImportOptions) transfer.Imported {
	t.Helper()
	r, err := transfer.Import(context.Background(), ws, dir, o)
	testkit.Must(t, err)
	return r
}

// Paths of any script come back by the rule that allows them. By the other rule they are
// left out, with the way out in the words of the caller, and the rest is imported.
func TestUnicodePaths(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(rapid.TB) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		unicode := workspace.Options{Paths: workspace.UnicodePaths}
		from := agent(t, store, "from", unicode)
		for _, path := range append(anyScript, "plain.md") {
			write(t, from, path, "one "+path)
			write(t, from, path, "two "+path)
			appendLog(t, from, path, "entry "+path)
		}
		dir := exported(t, from, true)

		to, withRule := agent(t, store, "to", unicode), transfer.ImportOptions{Paths: workspace.UnicodePaths}
		if r := importWith(t, to, dir, withRule); len(r.LeftOut) > 0 {
			t.Errorf("left out: %+v", r.LeftOut)
		}
		if diff := cmp.Diff(state(t, from, true), state(t, to, true)); diff != "" {
			t.Errorf("after the import (-want +got):\n%s", diff)
		}
		if r := importWith(t, to, dir, withRule); len(r.Changes)+len(r.LeftOut) > 0 {
			t.Errorf("a second import did %+v", r)
		}

		ascii := agent(t, store, "ascii", workspace.Options{})
		for _, o := range []transfer.ImportOptions{{DryRun: true}, {}} {
			o.Words.Way = func(e *workspace.Error) string {
				if e.Way.Do == port.DoUnicodePaths {
					return "use the other rule"
				}
				return ""
			}
			r := importWith(t, ascii, dir, o)
			if len(r.Changes) != 2 || r.Changes[0].Path != "plain.md" || r.Changes[1].Path != "plain.md" || len(r.LeftOut) != 2*len(anyScript) {
				t.Errorf("by ASCIIPaths: %+v", r)
			}
			for _, l := range r.LeftOut {
				if !strings.HasSuffix(l.Reason, "; use the other rule") {
					t.Errorf("%s: %s", l.Name, l.Reason)
				}
			}
		}
	})
}

// Two names that are one path are not imported one over the other. Folders of any script
// are looked into.
func TestImportOnePathTwice(t *testing.T) {
	const composed, decomposed = "\u00fc", "u\u0308"
	dir := t.TempDir()
	for name, text := range map[string]string{composed + ".md": "composed", decomposed + ".md": "decomposed", "\u00f6rt/a b.md": "in a folder"} {
		testkit.Must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if names, err := os.ReadDir(dir); err == nil && len(names) < 3 {
		return // this file system takes the two names for one
	}
	ws := memory(t, workspace.Options{Paths: workspace.UnicodePaths})
	o := transfer.ImportOptions{Paths: workspace.UnicodePaths}
	want := []transfer.LeftOut{{Name: composed + ".md", Reason: decomposed + ".md stands for the same path; rename this one"}}
	r := importWith(t, ws, dir, o)
	if diff := cmp.Diff(want, r.LeftOut); diff != "" || len(r.Changes) != 2 {
		t.Errorf("changes %+v, left out (-want +got):\n%s", r.Changes, diff)
	}
	if r := importWith(t, ws, dir, o); len(r.Changes) > 0 || r.Same != 2 {
		t.Errorf("a second import did %+v", r)
	}
	if diff := cmp.Diff(map[string]string{composed + ".md": "decomposed", "\u00f6rt/a b.md": "in a folder"}, current(t, ws)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	half := filepath.Join(t.TempDir(), "x")
	export(t, ws, half, false)
	testkit.Must(t, os.WriteFile(filepath.Join(half, "files", decomposed+".md"), []byte("added"), 0o600))
	testkit.Must(t, os.WriteFile(filepath.Join(half, "files", "o\u0308rt a b.md"), []byte("x"), 0o600))
	r = importWith(t, ws, half, o)
	want = []transfer.LeftOut{{Name: "files/" + decomposed + ".md", Reason: "files/" + composed + ".md stands for the same path; rename this one"}}
	if diff := cmp.Diff(want, r.LeftOut); diff != "" || len(r.Changes) != 1 || r.Changes[0].Path != "\u00f6rt a b.md" {
		t.Errorf("changes %+v, left out (-want +got):\n%s", r.Changes, diff)
	}
}

// Export and Import tell of each file and log.
func TestProgress(t *testing.T) {
	var told []string
	tell := func(done, total int64) { told = append(told, fmt.Sprint(done, "/", total)) }
	ws, dir := memory(t, workspace.Options{}), t.TempDir()
	write(t, ws, "a", "x")
	appendLog(t, ws, "l", "x")
	testkit.Must(t, testkit.Err(transfer.Export(t.Context(), ws, dir, transfer.ExportOptions{Progress: tell})))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "files", "b"), nil, 0o600)) // beside what was exported
	importWith(t, memory(t, workspace.Options{}), dir, transfer.ImportOptions{Progress: tell})
	want := []string{"1/2", "2/2", "0/2", "1/2", "2/3"}
	if !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}
