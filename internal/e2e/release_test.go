package e2e

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	urlpath "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// released is the version that the tests release, into a proxy of their own.
var released = module.Version{Path: "github.com/agent-scratchpad/scratchpad", Version: "v0.1.0"}

// TestRelease releases the module as it is in this folder, and uses the release as
// documented: go install for the command, go get and go mod tidy for the packages. The
// program of a user imports every package that a user can.
func TestRelease(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	t.Run("Install", func(t *testing.T) {
		user.run(t, "", "go", "install", released.Path+"/cmd/scratchpad@"+released.Version)
		got := user.run(t, "", filepath.Join(user.bin, "scratchpad"+exeSuffix()), "version")
		if want := released.Version + " (h1:"; !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("scratchpad version = %q, want %q and the checksum", got, want)
		}
	})
	t.Run("Import", func(t *testing.T) {
		dir := t.TempDir()
		testkit.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "user"))))
		user.run(t, dir, "go", "mod", "init", "example.com/user")
		user.run(t, dir, "go", "get", released.Path+"@"+released.Version)
		imports := "package main\n\nimport (\n"
		for _, name := range publicPackages(t) {
			imports += "\t_ " + strconv.Quote(name) + "\n"
		}
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "imports.go"), []byte(imports+")\n"), 0o600))
		user.run(t, dir, "go", "mod", "tidy")
		user.run(t, dir, "go", "vet", ".")
		user.run(t, dir, "go", "build", "-o", "user"+exeSuffix(), ".")
		got := user.run(t, dir, filepath.Join(dir, "user"+exeSuffix()), "user.db")
		if want := "version 1: released\n"; got != want {
			t.Errorf("the program of a user printed %q, want %q", got, want)
		}
	})
}

// publicPackages lists the packages of the module that another module can import.
func publicPackages(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{if and .GoFiles (ne .Name \"main\")}}{{.ImportPath}}{{end}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	testkit.Must(t, err)
	public := slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return strings.Contains(name, "/internal/") })
	if len(public) < 20 || !slices.Contains(public, released.Path+"/workspace") {
		t.Fatalf("the public packages are %q", public)
	}
	return public
}

// A release contains every file of the module, and everybody who imports a package downloads it.
// The Go tool leaves out links, and refuses names that differ in case alone.
func TestReleasedFiles(t *testing.T) {
	got := zipped(t, releaseZip(t))
	want := slices.DeleteFunc(tracked(t), func(name string) bool { // modules of their own
		return strings.HasPrefix(name, "internal/e2e/") || strings.HasPrefix(name, "tools/") || strings.HasPrefix(name, "deploy/apify/")
	})
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a release holds other files than the module, -want +got:\n%s", diff)
	}
}

// A goUser runs the Go tool as somebody who has never seen the module.
type goUser struct {
	env []string
	bin string // where go install puts programs
}

// newUser releases the module into a proxy, and returns a user of that proxy. All other
// modules come from the module cache of this machine, or else from the usual proxy.
func newUser(t *testing.T) *goUser {
	t.Helper()
	proxies := []string{fileURL(newProxy(t)), fileURL(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")), goEnv(t, "GOPROXY")}
	u := &goUser{bin: t.TempDir()}
	u.env = append(os.Environ(),
		"GOPROXY="+strings.Join(proxies, ","), "GOSUMDB=off", // files have no checksum database
		"GOPRIVATE=", "GONOPROXY=", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOMODCACHE="+modulesWithout(t, "github.com/agent-scratchpad"), "GOBIN="+u.bin, "CGO_ENABLED=0",
		"GOFLAGS="+goEnv(t, "GOFLAGS")+" -modcacherw -trimpath") // with -trimpath the build cache serves any module cache
	return u
}

// modulesWithout returns a module cache with the modules of this machine's but those of an
// owner, which it does not put there either.
func modulesWithout(t *testing.T, owner string) string {
	t.Helper()
	from, to := goEnv(t, "GOMODCACHE"), t.TempDir()
	host := urlpath.Dir(owner)
	for _, parent := range []string{".", host, "cache", "cache/download", "cache/download/" + host} {
		entries, err := os.ReadDir(filepath.Join(from, parent))
		if err == nil {
			err = os.MkdirAll(filepath.Join(to, parent), 0o700)
		}
		testkit.Must(t, err)
		for _, e := range entries {
			switch name := urlpath.Join(parent, e.Name()); name {
			case host, "cache", "cache/download", "cache/download/" + host, owner, "cache/download/" + owner, "cache/lock":
			default:
				testkit.Must(t, os.Symlink(filepath.Join(from, name), filepath.Join(to, name)))
			}
		}
	}
	return to
}

// run runs a program in a folder, and returns what it printed. Without a folder it
// runs outside of any module.
func (u *goUser) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, u.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, &errs)
	}
	return string(out)
}

// newProxy returns a folder that holds the released module as a proxy serves it.
func newProxy(t *testing.T) string {
	t.Helper()
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(released.Path), "@v")
	testkit.Must(t, os.MkdirAll(dir, 0o700))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	testkit.Must(t, err)
	for name, content := range map[string][]byte{
		"list":                     []byte(released.Version + "\n"),
		released.Version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-11-01T00:00:00Z"}`, released.Version),
		released.Version + ".mod":  mod,
		released.Version + ".zip":  releaseZip(t),
	} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return proxy
}

// root is the folder of the module.
var root = filepath.Join("..", "..")

// releaseZip is the module as proxies hand it out.
func releaseZip(t *testing.T) []byte {
	t.Helper()
	var files []modzip.File
	for _, name := range tracked(t) {
		files = append(files, moduleFile(name))
	}
	var b bytes.Buffer
	testkit.Must(t, modzip.Create(&b, released, files))
	return b.Bytes()
}

// A moduleFile is the slash-separated name of a file below the root.
type moduleFile string

func (f moduleFile) local() string                { return filepath.Join(root, filepath.FromSlash(string(f))) }
func (f moduleFile) Path() string                 { return string(f) }
func (f moduleFile) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.local()) }
func (f moduleFile) Open() (io.ReadCloser, error) { return os.Open(f.local()) }

// tracked lists the files that are under version control. It fails outside of a
// clone of the repository, as a test that skips itself there proves nothing.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	testkit.Must(t, err)
	names := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	return slices.DeleteFunc(names, func(name string) bool { // removed, and not yet committed
		_, err := moduleFile(name).Lstat()
		return errors.Is(err, fs.ErrNotExist)
	})
}

// zipped lists the files of a module's zip, below the root of the module.
func zipped(t *testing.T, content []byte) []string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	testkit.Must(t, err)
	var names []string
	for _, f := range z.File {
		names = append(names, strings.TrimPrefix(f.Name, released.Path+"@"+released.Version+"/"))
	}
	return names
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
