package transfer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/transfer"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// anyScript are paths that only UnicodePaths allow.
var anyScript = []string{"Überblick/Straße 1.md", "Überblick", "メモ/今日.md", "заметки.md", "Заметки.md", strings.Repeat("長", 255), "ทำ.md"}

func importWith(t tester, ws *workspace.Workspace, dir string, o transfer.ImportOptions) transfer.Imported {
	t.Helper()
	r, err := transfer.Import(context.Background(), ws, dir, o)
	must(t, err)
	return r
}

// Paths of any script come back by the rule that allows them. By the other rule they are
// left out, with the way out in the words of the caller, and the rest is imported.
func TestUnicodePaths(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(tester) (workspace.Store, func())) {
		store, done := open(t)
		defer done()
		unicode := workspace.Options{Paths: workspace.UnicodePaths}
		from := agent(t, store, "from", unicode)
		for _, path := range append(anyScript, "plain.md") {
			write(t, from, path, "one "+path)
			write(t, from, path, "two "+path)
			appendLog(t, from, path, "entry "+path)
		}
		dir := filepath.Join(t.TempDir(), "x")
		export(t, from, dir, true)

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
				if e.Way.Do == workspace.DoUnicodePaths {
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
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if names, err := os.ReadDir(dir); err == nil && len(names) < 3 {
		return // this file system takes the two names for one
	}
	ws := memory(t, workspace.Options{Paths: workspace.UnicodePaths})
	o := transfer.ImportOptions{Paths: workspace.UnicodePaths}
	want := []transfer.LeftOut{{Name: composed + ".md", Reason: decomposed + ".md stands for the same path: this name has U+00FC where that one has U+0075 U+0308; rename this one"}}
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
	must(t, os.WriteFile(filepath.Join(half, "files", decomposed+".md"), []byte("added"), 0o600))
	must(t, os.Link(filepath.Join(half, "files", "\u00f6rt", "a b.md"), filepath.Join(half, "files", "o\u0308rt a b.md")))
	r = importWith(t, ws, half, o)
	want = []transfer.LeftOut{{Name: "files/" + decomposed + ".md", Reason: "files/" + composed + ".md stands for the same path: this name has U+0075 U+0308 where that one has U+00FC; rename this one"}}
	if diff := cmp.Diff(want, r.LeftOut); diff != "" || len(r.Changes) != 1 || r.Changes[0].Path != "\u00f6rt a b.md" {
		t.Errorf("changes %+v, left out (-want +got):\n%s", r.Changes, diff)
	}
}

// The reason names the code points of the first letter that differs.
func TestSamePath(t *testing.T) {
	for _, c := range []struct{ name, other, want string }{
		{"Caf\u00e9.md", "Cafe\u0301.md", "this name has U+00E9 where that one has U+0065 U+0301"},
		{"\uac01.md", "\u1100\u1161\u11a8.md", "this name has U+AC01 where that one has U+1100 U+1161 U+11A8"},
		{"\u1e9b\u0323", "\u017f\u0323\u0307", "this name has U+1E9B U+0323 where that one has U+017F U+0323 U+0307"},
		{"x\u212b/y", "x\u00c5/y", "this name has U+212B where that one has U+00C5"},
		{"files/%61", "files/a", "files/a stands for the same path; rename this one"},
	} {
		if got := transfer.SamePath(c.name, c.other); !strings.Contains(got, c.want) {
			t.Errorf("%+q and %+q: %q, want %q", c.name, c.other, got, c.want)
		}
	}
}
