//go:build unix

package transfer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const secret = "what nobody may read"

// outside makes a folder with a secret beside another one, and a check that it is as it
// was.
func outside(t *testing.T) (dir, elsewhere string, check func()) {
	base := t.TempDir()
	dir, elsewhere = filepath.Join(base, "dir"), filepath.Join(base, "outside")
	testkit.Must(t, os.MkdirAll(filepath.Join(elsewhere, "notes"), 0o700))
	testkit.Must(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"secret", "notes/a.md"} {
		testkit.Must(t, os.WriteFile(filepath.Join(elsewhere, name), []byte(secret), 0o600))
	}
	before := tree(t, elsewhere)
	return dir, elsewhere, func() {
		t.Helper()
		if diff := cmp.Diff(before, tree(t, elsewhere)); diff != "" {
			t.Errorf("outside has changed (-before +after):\n%s", diff)
		}
	}
}

// noSecret fails if an agent has what is outside.
func noSecret(t *testing.T, ws *workspace.Workspace) {
	t.Helper()
	for _, line := range state(t, ws, true) {
		if strings.Contains(line, secret) {
			t.Errorf("the agent has %s", line)
		}
	}
}

// What is no folder is refused at once. Nothing waits for a pipe.
func TestImportNoFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	testkit.Must(t, syscall.Mkfifo(pipe, 0o600))
	testkit.Must(t, os.WriteFile(file, []byte("x"), 0o600))
	for _, name := range []string{pipe, file} {
		_, err := transfer.Import(t.Context(), memory(t, workspace.Options{}), name, transfer.ImportOptions{})
		if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "not a folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of a folder that is no export, only regular files with valid paths are imported. The
// others are listed, and nothing waits for a pipe.
func TestImportHostileFolder(t *testing.T) {
	dir, elsewhere, check := outside(t)
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "sub/not valid/deep"), 0o700))
	for _, name := range []string{"ok.md", "sub/ok.md", "sub/Ok.md", "sub/not valid/deep/a.md", "-x", "a..b", "a\\b", "\xff", "con"} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("text of "+strings.ToValidUTF8(name, "?")), 0o600))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "binary"), []byte{0xff, 0xfe}, 0o600))
	links := map[string]string{
		"file": filepath.Join(elsewhere, "secret"), "up": "../outside/secret", "folder": elsewhere, "sub/self": ".",
		"dangling": "nowhere", "loop": "loop", "inside": "ok.md", "zero": "/dev/zero",
	}
	for name, to := range links {
		testkit.Must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	testkit.Must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	bound, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	testkit.Must(t, err)
	defer syscall.Close(bound)
	testkit.Must(t, syscall.Bind(bound, &syscall.SockaddrUnix{Name: filepath.Join(dir, "socket")}))
	want := []string{"a..b", "a\\b", "\uFFFD", "binary", "pipe", "socket", "sub/not valid"}
	if err := syscall.Mknod(filepath.Join(dir, "device"), syscall.S_IFCHR|0o600, 1<<8|5); err == nil {
		want = append(want, "device") // as root
	}
	for name := range links {
		want = append(want, name)
	}
	ws := memory(t, workspace.Options{})
	r := importAll(t, ws, dir)
	check()
	noSecret(t, ws)
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, l.Name)
	}
	slices.Sort(left)
	slices.Sort(want)
	if diff := cmp.Diff(want, left); diff != "" || r.Export {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	var paths []string
	for path := range current(t, ws) {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{"-x", "con", "ok.md", "sub/Ok.md", "sub/ok.md"}, paths); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
}

// spoils are what somebody can do to an export.
func spoils() map[string]func(t *testing.T, dir, elsewhere string) {
	replace := func(name string, put func(name, elsewhere string) error) func(*testing.T, string, string) {
		return func(t *testing.T, dir, elsewhere string) {
			testkit.Must(t, os.RemoveAll(filepath.Join(dir, name)))
			testkit.Must(t, put(filepath.Join(dir, name), elsewhere))
		}
	}
	linkTo := func(to string) func(string, string) error {
		return func(name, elsewhere string) error { return os.Symlink(filepath.Join(elsewhere, to), name) }
	}
	pipe := func(name, _ string) error { return syscall.Mkfifo(name, 0o600) }
	sparse := func(name, _ string) error {
		return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 1<<40))
	}
	manifest := func(old, new string) func(*testing.T, string, string) {
		return func(t *testing.T, dir, _ string) {
			name := filepath.Join(dir, "manifest.json")
			b, err := os.ReadFile(name)
			testkit.Must(t, err)
			text := strings.ReplaceAll(string(b), old, new)
			if text == string(b) {
				t.Fatalf("%q is not in the manifest", old)
			}
			testkit.Must(t, os.WriteFile(name, []byte(text), 0o600))
		}
	}
	return map[string]func(t *testing.T, dir, elsewhere string){
		"link":          replace("files/secret", linkTo("secret")),
		"link folder":   replace("files/notes", linkTo("notes")),
		"link files":    replace("files", linkTo("")),
		"link log":      replace("logs/log.jsonl", linkTo("secret")),
		"link old":      replace("versions/secret", linkTo("notes")),
		"link manifest": replace("manifest.json", linkTo("secret")),
		"pipe":          replace("files/secret", pipe),
		"pipe log":      replace("logs/log.jsonl", pipe),
		"pipe manifest": replace("manifest.json", pipe),
		"folder":        replace("files/secret", func(name, _ string) error { return os.Mkdir(name, 0o700) }),
		"zero":          replace("files/secret", func(name, _ string) error { return os.Symlink("/dev/zero", name) }),
		"sparse":        replace("files/secret", sparse),
		"sparse log":    replace("logs/log.jsonl", sparse),
		"up":            manifest(`"name":"files/secret"`, `"name":"files/../../outside/secret"`),
		"absolute":      manifest(`"name":"files/secret"`, `"name":"/etc/passwd"`),
		"escaped":       manifest(`"path":"secret","version":2,"name":"files/secret"`, `"path":"../../outside/secret","version":2,"name":"files/%2E%2E/%2E%2E/outside/secret"`),
		"dots":          manifest(`"path":"notes/a.md","version":1,"name":"files/notes/a.md"`, `"path":"../../outside/notes/a.md","version":1,"name":"files/../../outside/notes/a.md"`),
		"twice":         manifest(`"path":"notes/a.md","version":1,"name":"files/notes/a.md"`, `"path":"secret","version":3,"name":"files/secret"`),
	}
}

// An export into which somebody has put links, pipes and names that lead out brings
// nothing from outside.
func TestImportHostileExport(t *testing.T) {
	testkit.SkipInShort(t)
	for name, spoil := range spoils() {
		t.Run(name, func(t *testing.T) {
			dir, elsewhere, check := outside(t)
			from := memory(t, workspace.Options{})
			write(t, from, "notes/a.md", "x")
			write(t, from, "secret", "1")
			write(t, from, "secret", "2")
			appendLog(t, from, "log", "x")
			export(t, from, dir, true)
			spoil(t, dir, elsewhere)
			ws := memory(t, workspace.Options{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := transfer.Import(ctx, ws, dir, transfer.ImportOptions{})
			if err == nil && len(r.LeftOut) == 0 || err != nil && !isKind(err, workspace.ErrInvalid, workspace.ErrTooLarge) {
				t.Errorf("Import = %+v, %v", r, err)
			}
			check()
			noSecret(t, ws)
		})
	}
}

// swap puts links to outside in place of files and folders, and back, until stop closes.
func swap(dir, elsewhere string, names []string, stop chan bool) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		name := filepath.Join(dir, names[i%len(names)])
		if os.Rename(name, name+".kept") != nil {
			continue
		}
		os.Symlink(filepath.Join(elsewhere, filepath.Base(name)), name)
		os.Remove(name)
		os.Rename(name+".kept", name)
	}
}

// While somebody swaps files and folders for links, an import brings nothing from
// outside, and an export writes nothing there.
func TestSwapped(t *testing.T) {
	dir, elsewhere, check := outside(t)
	from := memory(t, workspace.Options{})
	for i := range 30 {
		write(t, from, fmt.Sprint("notes/a", i, ".md"), "x")
	}
	write(t, from, "notes/a.md", "x")
	write(t, from, "secret", "x")
	source := filepath.Join(dir, "source")
	export(t, from, source, false)
	stop, wg := make(chan bool), sync.WaitGroup{}
	wg.Go(func() { swap(filepath.Join(source, "files"), elsewhere, []string{"secret", "notes"}, stop) })
	left := 0
	deadline := time.Now().Add(testkit.Pick(100*time.Millisecond, time.Second, time.Second))
	late := deadline.Add(time.Minute) // on a busy machine, until an import has met a link
	for n := 0; time.Now().Before(deadline) || left == 0 && time.Now().Before(late); n++ {
		ws := memory(t, workspace.Options{})
		r, err := transfer.Import(t.Context(), ws, source, transfer.ImportOptions{})
		testkit.Must(t, err)
		left += len(r.LeftOut)
		noSecret(t, ws)

		target := filepath.Join(dir, fmt.Sprint(n))
		testkit.Must(t, os.Mkdir(target, 0o700))
		end := make(chan bool)
		wg.Go(func() { swap(target, filepath.Dir(elsewhere), []string{"files", "files/notes"}, end) })
		_, _ = transfer.Export(t.Context(), from, target, transfer.ExportOptions{}) // it may fail
		close(end)
	}
	close(stop)
	wg.Wait()
	check()
	if left == 0 {
		t.Error("no import met a link; the test shows nothing")
	}
}

// What is put in place of a file after it was looked at, and before it is opened, is not
// read.
func TestSwappedBeforeOpening(t *testing.T) {
	for name, put := range map[string]func(dir, elsewhere string) error{
		"link": func(dir, elsewhere string) error {
			return os.Symlink(filepath.Join(elsewhere, "notes/a.md"), dir+"/notes/a.md")
		},
		"folder": func(dir, elsewhere string) error { return os.Mkdir(dir+"/notes/a.md", 0o700) },
		"pipe":   func(dir, elsewhere string) error { return syscall.Mkfifo(dir+"/notes/a.md", 0o600) },
		"inside": func(dir, elsewhere string) error { return os.Symlink("../other", dir+"/notes/a.md") },
		"link folder": func(dir, elsewhere string) error {
			return errors.Join(os.Remove(dir+"/notes"), os.Symlink(filepath.Join(elsewhere, "notes"), dir+"/notes"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, elsewhere, check := outside(t)
			testkit.Must(t, os.Mkdir(filepath.Join(dir, "notes"), 0o700))
			for _, name := range []string{"notes/a.md", "other"} {
				testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
			}
			transfer.SetOpening(t, func(name string) {
				if name == "notes/a.md" {
					testkit.Must(t, errors.Join(os.Remove(filepath.Join(dir, name)), put(dir, elsewhere)))
				}
			})
			ws := memory(t, workspace.Options{})
			r := importAll(t, ws, dir)
			if files := current(t, ws); len(r.LeftOut) != 1 || len(files) != 1 || files["other"] != "other" {
				t.Errorf("Import = %+v, and the agent has %q", r, files)
			}
			check()
		})
	}
}

// A folder with too many names is refused.
func TestImportTooManyNames(t *testing.T) {
	dir := t.TempDir()
	one := filepath.Join(dir, "0")
	testkit.Must(t, os.WriteFile(one, nil, 0o600))
	for i := range 300 {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))), nil, 0o600))
	}
	transfer.SetMaxNames(t, 300)
	if _, err := transfer.Import(t.Context(), memory(t, workspace.Options{}), dir, transfer.ImportOptions{}); !isKind(err, workspace.ErrTooLarge) || !strings.Contains(err.Error(), "more than 300 names") {
		t.Errorf("Import = %v", err)
	}
}

// A project cannot lead an import out of itself, nor keep it waiting. Where the user's own memory
// is a link, it is followed.
func TestImportFromHostileProject(t *testing.T) {
	dir, elsewhere, check := outside(t)
	around := transfer.Surroundings{Home: elsewhere, Project: dir, Main: dir, Getenv: func(string) string { return "" }}
	link := func(to, name string) { testkit.Must(t, os.Symlink(to, filepath.Join(dir, name))) }
	run := func(name, folder string) transfer.Imported {
		ws := memory(t, workspace.Options{})
		defer noSecret(t, ws)
		return got(from(t, ws, name, folder, around))(t)
	}
	defer check()
	link("../outside/notes", "memory-bank")
	link("../outside/notes", ".serena")
	for _, name := range []string{"cline", "serena"} {
		if r := run(name, ""); len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "link") || len(r.Changes) > 0 {
			t.Errorf("%s in a linked folder: %+v", name, r)
		}
	}
	testkit.Must(t, os.Remove(filepath.Join(dir, "memory-bank")))
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "memory-bank"), 0o700))
	link("../../outside/notes", "memory-bank/folder")
	link("../../outside/notes/a.md", "memory-bank/a.md")
	link("../secret.md", "memory-bank/inside.md")
	testkit.Must(t, syscall.Mkfifo(filepath.Join(dir, "memory-bank/pipe.md"), 0o600))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "secret.md"), []byte(secret), 0o600))
	if r := run("cline", ""); len(r.LeftOut) != 3 || !slices.Equal(r.Skipped, []string{"memory-bank/folder"}) || len(r.Changes) > 0 {
		t.Errorf("links and a pipe in the folder: %+v", r)
	}
	testkit.Must(t, syscall.Mkfifo(filepath.Join(dir, "memory.jsonl"), 0o600))
	if r := run("mcp-memory", dir); len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "pipe") {
		t.Errorf("a pipe for a graph: %+v", r)
	}
	link(elsewhere, "mine")
	ws := memory(t, workspace.Options{})
	if r := got(from(t, ws, "basic-memory", filepath.Join(dir, "mine"), around))(t); len(r.Changes) != 1 {
		t.Errorf("the user's own folder, through a link: %+v", r)
	}
}
