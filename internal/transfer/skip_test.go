package transfer_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/transfer"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// folderOf makes a folder with files of one text.
func folderOf(t *testing.T, text string, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return dir
}

// An import skips hidden names and what programs make for themselves, and says so. With
// All it imports them. A name that people use too is skipped only where a program uses it.
func TestImportSkips(t *testing.T) {
	t.Parallel()
	meant := []string{"n.md", "sub/m.md", "build/plan.md", "vendor/acme.md", "target/goals.md", "node_modules.md", "HEAD", "objects/x", "git/HEAD"}
	skipped := []string{
		".git/config", ".env", "sub/.DS_Store", ".obsidian/app.json", "node_modules/a/index.js", "sub/Node_Modules/b.js", "py/__pycache__/a.txt",
		"rust/target/debug/out", "go/vendor/modules.txt", "js/dist/a.js", "js/build/b.js", "env/bin/activate", "env/pyvenv.cfg",
		"cache/CACHEDIR.TAG", "cache/a", "Thumbs.db", "mirror.git/HEAD", "mirror.git/objects/a", "mirror.git/refs/b", "mirror.git/config",
	}
	beside := []string{"rust/Cargo.toml", "go/go.mod", "js/package.json"}
	dir := folderOf(t, "secret-token", slices.Concat(meant, skipped, beside)...)

	ws := memory(t, workspace.Options{})
	r := importAll(t, ws, dir)
	want := slices.Sorted(slices.Values(slices.Concat(meant, beside)))
	if got := slices.Sorted(maps.Keys(current(t, ws))); !slices.Equal(got, want) || len(r.LeftOut) > 0 {
		t.Errorf("imported %q, want %q; left out: %+v", got, want, r.LeftOut)
	}
	says := []string{".env", ".git", ".obsidian", "Thumbs.db", "cache", "env", "go/vendor", "js/build", "js/dist", "mirror.git",
		"node_modules", "py/__pycache__", "rust/target", "sub/.DS_Store", "sub/Node_Modules"}
	if diff := cmp.Diff(says, r.Skipped); diff != "" || r.Passed != 0 {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}

	ws = memory(t, workspace.Options{})
	r = importWith(t, ws, dir, transfer.ImportOptions{All: true})
	if got, want := len(current(t, ws)), len(meant)+len(skipped)+len(beside); got != want || len(r.Skipped)+len(r.LeftOut) > 0 {
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
	dir := t.TempDir()
	export(t, from, dir, false)
	for _, name := range []string{".DS_Store", ".notes/.DS_Store", ".notes/new", ".git/config"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, "files", name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "files", name), []byte("y"), 0o600))
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

// The manifest and the logs of an export may begin with a byte order mark, which an editor
// has put there. A file keeps its own.
func TestImportByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	from := memory(t, workspace.Options{})
	write(t, from, "plain", "x")
	write(t, from, "marked", mark+"x")
	write(t, from, "marked", mark+"y")
	appendLog(t, from, "log", "a", mark+"b")
	dir := t.TempDir()
	export(t, from, dir, true)
	edit := func(name string, fn func([]byte) []byte) {
		name = filepath.Join(dir, name)
		b, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(name, fn(b), 0o600))
	}
	withMark := func(b []byte) []byte { return append([]byte(mark), b...) }
	edit("manifest.json", withMark)
	edit("logs/log.jsonl", withMark)
	to := memory(t, workspace.Options{})
	r := importAll(t, to, dir)
	if diff := cmp.Diff(state(t, from, true), state(t, to, true)); diff != "" || !r.Export {
		t.Errorf("%+v (-want +got):\n%s", r, diff)
	}
	edit("files/plain", withMark)
	importAll(t, to, dir)
	if got := current(t, to)["plain"]; got != mark+"x" {
		t.Errorf("the file is %q, want its own mark", got)
	}

	inUTF16 := func(b []byte) []byte {
		var out []byte
		for _, unit := range utf16.Encode([]rune(mark + strings.TrimPrefix(string(b), mark))) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	}
	edit("files/plain", inUTF16)
	edit("logs/log.jsonl", inUTF16)
	r = importAll(t, to, dir)
	const says = "it is UTF-16; save it as UTF-8"
	if diff := cmp.Diff([]transfer.LeftOut{{Name: "files/plain", Reason: says}, {Name: "logs/log.jsonl", Reason: says}}, r.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	edit("manifest.json", inUTF16)
	if _, err := transfer.Import(t.Context(), to, dir, transfer.ImportOptions{}); !isKind(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), says) {
		t.Errorf("a manifest in UTF-16: %v", err)
	}
}
