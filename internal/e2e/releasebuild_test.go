package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/google/go-cmp/cmp"
)

// TestReleaseBuild makes a release twice, from clones in two folders, and uses what it made.
// A tree without a tag, or with changes, is no release.
func TestReleaseBuild(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the test runs the release for Linux")
	}
	tool, clone := filepath.Join(t.TempDir(), "release"), newClone(t)
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", tool, "./deploy/release")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	run(t, build)
	checkRefused(t, tool, clone, "no tag")
	git(t, clone, "tag", "v1.2.3")
	first, again := makeRelease(t, tool, clone), filepath.Join(t.TempDir(), "again")
	git(t, clone, "clone", "-q", clone, again)
	second := makeRelease(t, tool, again)
	testkit.Must(t, os.WriteFile(filepath.Join(clone, "README.md"), []byte("changed"), 0o600))
	checkRefused(t, tool, clone, "not committed")

	name := "scratchpad_1.2.3_linux_" + runtime.GOARCH
	want := []string{"checksums.txt", name + ".cdx.json", name + ".tar.gz"}
	if diff := cmp.Diff(want, fileNames(t, first)); diff != "" {
		t.Fatalf("the release has other files, -want +got:\n%s", diff)
	}
	for _, name := range want {
		a, b := readFile(t, filepath.Join(first, name)), readFile(t, filepath.Join(second, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two folders", name)
		}
	}
	sums := exec.CommandContext(t.Context(), "sha256sum", "--strict", "-c", "checksums.txt")
	sums.Dir = first
	if out := run(t, sums); strings.Count(out, ": OK") != len(want)-1 {
		t.Errorf("sha256sum -c: %s", out)
	}
	checkArchive(t, filepath.Join(first, name+".tar.gz"))
	checkBOM(t, filepath.Join(first, name+".cdx.json"))
}

// run runs a command, which must succeed, and returns what it prints.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-11-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T00:00:00Z")
	run(t, cmd)
}

// newClone returns a clone with one commit of the files of the module.
func newClone(t *testing.T) string {
	t.Helper()
	dir := copyTree(t)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--no-gpg-sign", "-m", "release")
	return dir
}

// release returns the command that makes a release of a clone for this system.
func release(t *testing.T, tool, clone, out string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, "-out", out, "-systems", "linux/"+runtime.GOARCH)
	cmd.Dir = clone
	return cmd
}

func makeRelease(t *testing.T, tool, clone string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dist")
	run(t, release(t, tool, clone, dir))
	return dir
}

func checkRefused(t *testing.T, tool, clone, want string) {
	t.Helper()
	out, err := release(t, tool, clone, t.TempDir()+"/dist").CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("release: %v, want an error with %q\n%s", err, want, out)
	}
}

// checkArchive runs the program of an archive.
func checkArchive(t *testing.T, file string) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(readFile(t, file)))
	testkit.Must(t, err)
	var names []string
	program := filepath.Join(t.TempDir(), "scratchpad")
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if h.Name != "scratchpad" {
			continue
		}
		content, err := io.ReadAll(r)
		testkit.Must(t, errors.Join(err, os.WriteFile(program, content, os.FileMode(h.Mode))))
	}
	if want := []string{"LICENSE", "NOTICE", "README.md", "scratchpad", "scratchpad.service"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
	if out, err := exec.CommandContext(t.Context(), program, "version").Output(); err != nil || !strings.HasPrefix(string(out), "v1.2.3 (") {
		t.Errorf("scratchpad version = %q, %v, want the tag", out, err)
	}
}

// checkBOM checks the list of parts by the schema of CycloneDX, and that it lists each
// module that NOTICE names for this program.
func checkBOM(t *testing.T, file string) {
	t.Helper()
	schema := filepath.Join("node_modules", "@cyclonedx", "cyclonedx-library", "res", "schema", "bom-1.6.SNAPSHOT.schema.json")
	text := readFile(t, file)
	if err := validate(t, schema, text); err != nil {
		t.Errorf("the SBOM: %v", err)
	}
	if validate(t, schema, bytes.Replace(text, []byte(`"bomFormat"`), []byte(`"x"`), 1)) == nil {
		t.Error("the schema accepts an SBOM without its format, so that it says nothing")
	}
	var bom struct {
		Components []struct{ Name, Version, PURL string }
	}
	testkit.Must(t, json.Unmarshal(text, &bom))
	for _, want := range []string{"std", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk"} {
		if !slices.ContainsFunc(bom.Components, func(c struct{ Name, Version, PURL string }) bool { return c.Name == want && c.Version != "" }) {
			t.Errorf("the SBOM does not list %s", want)
		}
	}
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return []byte(testkit.ReadFile(t, name))
}
