package pad_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// filePad returns a pad that saves into a file.
func filePad(t *testing.T, path string) *pad.Pad {
	t.Helper()
	p, _ := newPad(t, pad.Options{Saver: pad.FileSaver(path)})
	return p
}

// onlyFiles fails the test if a folder has other files than the named ones.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	testkit.Must(t, err)
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder has %q, want %q", got, names)
	}
}

func TestFileSaver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pad.json")
	p := filePad(t, path)
	testkit.Must(t, p.Load(t.Context()))
	testkit.Must(t, p.SetWith("a", "<b>", pad.SetOptions{Tags: []string{"t"}, TTL: time.Hour}))
	for i := range 3 {
		testkit.Must(t, p.Set("b", i))
		testkit.Must(t, p.Save(t.Context()))
	}
	onlyFiles(t, dir, "pad.json")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("Stat() = %v, %v, want mode 0600", info.Mode(), err)
	}
	q := filePad(t, path)
	testkit.Must(t, q.Load(t.Context()))
	if n, err := pad.Get[int](q, "b"); n != 2 || err != nil || q.Len() != 2 {
		t.Errorf("loaded b = %d, %v of %d entries, want 2 of two", n, err, q.Len())
	}
	if got, _ := q.Peek("a"); got.Value != "<b>" || got.TTL != time.Hour || len(got.Tags) != 1 {
		t.Errorf("loaded %+v", got)
	}
}

// bad are files that are not a snapshot of this version.
var bad = map[string]string{
	"empty":   "",
	"damaged": `{"entries":{"a":{"key":"a","va`,
	"foreign": `{"name":"package","version":"1.0.0"}`,
	"text":    "dear diary\n",
	"newer":   `{"entries":[],"version":2}`,
}

func TestFileSaverKeepsWhatItCannotRead(t *testing.T) {
	for name, text := range bad {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "pad.json")
			p := filePad(t, path)
			testkit.Must(t, p.Set("a", 1))
			if name == "text" { // it comes after a Save
				testkit.Must(t, p.Save(t.Context()))
			}
			testkit.Must(t, os.WriteFile(path, []byte(text), 0o644))
			for range 2 {
				if err := p.Save(t.Context()); !errors.Is(err, pad.ErrPersist) { // at first nobody called Load
					t.Errorf("Save() = %v, want ErrPersist", err)
				}
				err := p.Load(t.Context())
				var newer *pad.VersionError
				if !errors.Is(err, pad.ErrPersist) || errors.As(err, &newer) != (name == "newer") {
					t.Errorf("Load() = %v, want ErrPersist; a VersionError: %v", err, newer != nil)
				}
				if p.Len() != 1 {
					t.Errorf("a Load() that failed left %d entries", p.Len())
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != text {
				t.Errorf("the file is %q, %v, want it as it was", got, err)
			}
			onlyFiles(t, dir, "pad.json")
		})
	}
}

func TestFileSaverPaths(t *testing.T) {
	dir := t.TempDir()
	for name, path := range map[string]string{"no path": "", "a folder": dir, "no folder": filepath.Join(dir, "none", "pad.json")} {
		if err := filePad(t, path).Save(t.Context()); !errors.Is(err, pad.ErrPersist) {
			t.Errorf("%s: Save() = %v, want ErrPersist", name, err)
		}
	}
	mustEnd(t, func() {
		if _, err := pad.FileSaver("/dev/zero").Load(t.Context()); runtime.GOOS == "linux" && !errors.Is(err, pad.ErrPersist) {
			t.Errorf("a device: Load() = %v, want ErrPersist", err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "pad.json")
	if err := filePad(t, path).Save(ctx); !errors.Is(err, pad.ErrPersist) || !errors.Is(err, context.Canceled) {
		t.Errorf("Save() of a context that ended = %v, want ErrPersist and Canceled", err)
	}
	onlyFiles(t, dir)
}

func TestFileSaverLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	path, file := filepath.Join(dir, "link"), filepath.Join(elsewhere, "pad.json")
	if err := os.Symlink(file, path); err != nil {
		t.Logf("not run: %v", err)
		return
	}
	p := filePad(t, path)
	for _, err := range []error{p.Save(t.Context()), p.Load(t.Context())} {
		if !errors.Is(err, pad.ErrPersist) {
			t.Errorf("a link to nothing: %v, want ErrPersist", err)
		}
	}
	testkit.Must(t, os.WriteFile(file, []byte(fromNPM), 0o600))
	testkit.Must(t, p.Load(t.Context()))
	testkit.Must(t, p.Set("new", 1))
	testkit.Must(t, p.Save(t.Context()))
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"new"`) {
		t.Errorf("the file behind the link is %s, %v", text, err)
	}
	onlyFiles(t, dir, "link")
	onlyFiles(t, elsewhere, "pad.json")
}

// saveForever saves a growing number, and prints each one that was saved.
func saveForever(path string) {
	p, err := pad.New(pad.Options{Saver: pad.FileSaver(path)})
	for i := 0; err == nil; i++ {
		p.Set("n", i)
		p.Set("much", strings.Repeat(strconv.Itoa(i), 20_000))
		if err = p.Save(context.Background()); err == nil {
			fmt.Println(i)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// If the process is killed at any moment, the file is complete, and not older than the
// last Save that returned.
func TestFileSaverKilled(t *testing.T) {
	testkit.SkipInShort(t)
	exe, err := os.Executable()
	testkit.Must(t, err)
	for range testkit.Pick(3, 20, 40) {
		dir := t.TempDir()
		path := filepath.Join(dir, "pad.json")
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), roleVariable+"="+path)
		out, err := cmd.StdoutPipe()
		testkit.Must(t, err)
		testkit.Must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		last := -1
		if lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			last, _ = strconv.Atoi(lines.Text())
		}
		cmd.Wait()
		p := filePad(t, path)
		testkit.Must(t, p.Load(t.Context()))
		n, err := pad.Get[int](p, "n")
		if much, _ := p.Get("much"); err != nil || n < last || n > last+1 || much != strings.Repeat(strconv.Itoa(n), 20_000) {
			t.Fatalf("loaded %d, %v after a kill, %d was saved", n, err, last)
		}
		testkit.Must(t, p.Save(t.Context())) // the temporary file of the killed process does no harm
	}
}
