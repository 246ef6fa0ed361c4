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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/google/go-cmp/cmp"
)

// goreleaser is the program that makes releases.
const goreleaser = "github.com/goreleaser/goreleaser/v2@v2.15.1"

// TestReleaseBuild makes a release twice, from clones in two folders, and uses what it made. The
// second time the settings of the Go tool have a tag, which changes nothing.
// A tree without a tag, or with changes, is no release.
func TestReleaseBuild(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the test runs the release for Linux")
	}
	clone := newClone(t)
	name := "scratchpad_1.2.3_linux_" + runtime.GOARCH
	want := []string{name + ".apk", name + ".deb", name + ".rpm", name + ".tar.gz", name + ".tar.gz.cdx.json", "scratchpad.rb"}
	checkRefused(t, clone, "git doesn't contain any tags")
	git(t, clone, "tag", "v1.2.3")
	testkit.Must(t, os.WriteFile(filepath.Join(clone, "README.md"), []byte("changed"), 0o600))
	checkRefused(t, clone, "git is in a dirty state")
	git(t, clone, "checkout", "-q", "README.md")
	first, again := makeRelease(t, clone), filepath.Join(t.TempDir(), "again")
	git(t, clone, "clone", "-q", clone, again)
	settings := filepath.Join(t.TempDir(), "env")
	testkit.Must(t, os.WriteFile(settings, []byte("GOFLAGS=-tags=plantedbugs\n"), 0o600))
	cmd, second := release(t, again), filepath.Join(again, "dist")
	cmd.Env = append(cmd.Env, "GOENV="+settings)
	run(t, cmd)

	sums := exec.CommandContext(t.Context(), "sha256sum", "--strict", "-c", "checksums.txt")
	sums.Dir = first
	var listed []string
	for line := range strings.Lines(run(t, sums)) {
		name, _, _ := strings.Cut(line, ": OK")
		listed = append(listed, name)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Fatalf("the release has other files, -want +got:\n%s", diff)
	}
	for _, name := range append(want, "checksums.txt") {
		if !bytes.Equal(readFile(t, filepath.Join(first, name)), readFile(t, filepath.Join(second, name))) {
			t.Errorf("%s differs between two folders", name)
		}
	}
	checkArchive(t, filepath.Join(first, name+".tar.gz"))
	checkBOM(t, filepath.Join(first, name+".tar.gz.cdx.json"))
}

// TestReleasePrepared makes what a release has besides the program: mandoc finds no fault with the
// manual page. The settings that give the same bytes in every folder are there.
func TestReleasePrepared(t *testing.T) {
	t.Parallel()
	clone := newClone(t)
	git(t, clone, "tag", "v1.2.3")
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(clone, "deploy", "package", "prepare"), "v1.2.3", "c0ffee")
	cmd.Env = append(os.Environ(), "GOENV=/dev/null")
	run(t, cmd)
	in := func(name string) string { return filepath.Join(clone, ".release", name) }
	checkProgram(t, in("scratchpad"), in("scratchpad.1"))
	if link := regexp.MustCompile(`(\]\(|src(set)?=")[^#):"]+[)#"]`).Find(readFile(t, in("README.md"))); link != nil {
		t.Errorf("a link of the README in the archive leads nowhere: %s", link)
	}
	for name, text := range map[string]string{
		"scratchpad.rb": `tag:      "v1.2.3"`, "scratchpad.service": "\nUser=scratchpad\n", "copyright": "Permission is hereby granted",
		"completions/scratchpad.bash": "complete ", "completions/scratchpad.fish": "complete ", "completions/_scratchpad": "#compdef",
		"../.goreleaser.yaml": "\n    env: [CGO_ENABLED=0, GOENV=off, GOFLAGS=, GOWORK=off, GOEXPERIMENT=, GOFIPS140=off]\n    flags: [-trimpath, -buildvcs=true]\n",
	} {
		if got := string(readFile(t, in(name))); !strings.Contains(got, text) || strings.Contains(got, "COMMIT\"") {
			t.Errorf("%s has no %q: %s", name, text, got)
		}
	}
}

// checkProgram runs a program of a release, and lets mandoc judge its manual page.
func checkProgram(t *testing.T, program, page string) {
	t.Helper()
	lint, err := exec.LookPath("mandoc")
	if err != nil {
		t.Fatal("mandoc is missing; install it (Debian: apt-get install -y mandoc), and run this again")
	}
	run(t, exec.CommandContext(t.Context(), lint, "-T", "lint", "-W", "warning", page))
	if out := run(t, exec.CommandContext(t.Context(), program, "version")); !strings.HasPrefix(out, "v1.2.3 (") {
		t.Errorf("scratchpad version = %q, want the tag", out)
	}
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
	git(t, dir, "remote", "add", "origin", "https://github.com/agent-scratchpad/scratchpad") // GoReleaser wants one
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--no-gpg-sign", "-m", "release")
	return dir
}

// release returns the command that makes a release of a clone for this system.
func release(t *testing.T, clone string, flags ...string) *exec.Cmd {
	t.Helper()
	text := string(readFile(t, filepath.Join(clone, ".goreleaser.yaml")))
	for list, one := range map[string]string{"goos: [linux, darwin, windows]": "goos: [linux]", "goarch: [amd64, arm64]": "goarch: [" + runtime.GOARCH + "]"} {
		if !strings.Contains(text, list) {
			t.Fatalf(".goreleaser.yaml has no %s", list)
		}
		text = strings.Replace(text, list, one, 1)
	}
	config := filepath.Join(t.TempDir(), "goreleaser.yaml")
	testkit.Must(t, os.WriteFile(config, []byte(text), 0o600))
	args := append([]string{"run", goreleaser, "release", "--config", config, "--clean", "--skip=publish"}, flags...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	return cmd
}

func makeRelease(t *testing.T, clone string, flags ...string) (dist string) {
	t.Helper()
	run(t, release(t, clone, flags...))
	return filepath.Join(clone, "dist")
}

func checkRefused(t *testing.T, clone, want string) {
	t.Helper()
	out, err := release(t, clone).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("release: %v, want an error with %q\n%s", err, want, out)
	}
}

// checkArchive checks what an archive has, and runs its program.
func checkArchive(t *testing.T, file string) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(readFile(t, file)))
	testkit.Must(t, err)
	var names []string
	dir := t.TempDir()
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		content, err := io.ReadAll(r)
		file := filepath.Join(dir, filepath.FromSlash(h.Name))
		testkit.Must(t, errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, os.FileMode(h.Mode))))
	}
	checkProgram(t, filepath.Join(dir, "scratchpad"), filepath.Join(dir, "scratchpad.1"))
	slices.Sort(names)
	if want := []string{"LICENSE", "NOTICE", "README.md", "completions/_scratchpad", "completions/scratchpad.bash", "completions/scratchpad.fish",
		"scratchpad", "scratchpad.1", "scratchpad.service"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
}

// checkBOM checks the list of parts by the schema of CycloneDX, and that it lists the standard
// library and two of the modules that NOTICE names.
func checkBOM(t *testing.T, file string) {
	t.Helper()
	schema := filepath.Join("node_modules", "@cyclonedx", "cyclonedx-library", "res", "schema", "bom-1.6.SNAPSHOT.schema.json")
	text := readFile(t, file)
	if err := validate(t, schema, text); err != nil {
		t.Errorf("the SBOM: %v", err)
	}
	var bom struct {
		Components []struct{ Name, Version, PURL string }
	}
	testkit.Must(t, json.Unmarshal(text, &bom))
	for _, want := range []string{"stdlib", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk"} {
		if !slices.ContainsFunc(bom.Components, func(c struct{ Name, Version, PURL string }) bool { return c.Name == want && c.Version != "" }) {
			t.Errorf("the SBOM does not list %s", want)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return []byte(testkit.ReadFile(t, name))
}
