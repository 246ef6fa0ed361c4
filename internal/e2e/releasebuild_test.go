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

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestReleaseBuild makes a release twice, from clones in two folders, and uses what it made.
func TestReleaseBuild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test runs the release for Linux")
	}
	tool := buildTool(t, root)
	first, second := makeRelease(t, tool, newClone(t, "v1.2.3")), makeRelease(t, tool, newClone(t, "v1.2.3"))
	name := "scratchpad_1.2.3_linux_" + runtime.GOARCH
	want := []string{"checksums.txt", name + ".cdx.json", name + ".mcpb", name + ".tar.gz", "server.json"}
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
	if out, err := sums.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != len(want)-1 {
		t.Errorf("sha256sum -c: %v\n%s", err, out)
	}
	checkArchive(t, filepath.Join(first, name+".tar.gz"))
	checkBOM(t, filepath.Join(first, name+".cdx.json"))
	checkBundle(t, filepath.Join(first, name+".mcpb"))
	schema := filepath.Join(moduleDir(t, registry), "internal", "validators", "schemas", "2025-12-11.json")
	if err := validate(t, schema, readFile(t, filepath.Join(first, "server.json"))); err != nil {
		t.Errorf("server.json: %v", err)
	}
}

// A tree with changes, or without a tag, is no release.
func TestReleaseBuildRefuses(t *testing.T) {
	tool, clone := buildTool(t, root), newClone(t, "")
	refuse := func(want string) {
		t.Helper()
		out, err := releaseCommand(t, tool, clone, t.TempDir()+"/dist").CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("release: %v, want an error with %q\n%s", err, want, out)
		}
	}
	refuse("no tag")
	if err := os.WriteFile(filepath.Join(clone, "README.md"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse("not committed")
}

// buildTool builds the program that makes releases.
func buildTool(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "release")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, "./deploy/release")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build ./deploy/release: %v\n%s", err, out)
	}
	return file
}

// newClone returns a clone with one commit of the files of the module, always the same.
func newClone(t *testing.T, tag string) string {
	t.Helper()
	dir := copyTree(t)
	commands := [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--no-gpg-sign", "-m", "release"}}
	if tag != "" {
		commands = append(commands, []string{"tag", tag})
	}
	for _, args := range commands {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-11-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-01T00:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	return dir
}

func releaseCommand(t *testing.T, tool, dir, out string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, "-out", out, "-systems", "linux/"+runtime.GOARCH)
	cmd.Dir = dir
	return cmd
}

// makeRelease makes a release for this system.
func makeRelease(t *testing.T, tool, clone string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dist")
	if out, err := releaseCommand(t, tool, clone, dir).CombinedOutput(); err != nil {
		t.Fatalf("release: %v\n%s", err, out)
	}
	return dir
}

// checkArchive runs the program of an archive.
func checkArchive(t *testing.T, file string) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(readFile(t, file)))
	if err != nil {
		t.Fatal(err)
	}
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
		if err == nil {
			err = os.WriteFile(program, content, os.FileMode(h.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"LICENSE", "NOTICE", "README.md", "scratchpad", "scratchpad.service"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
	if out, err := exec.CommandContext(t.Context(), program, "version").Output(); err != nil || string(out) != "v1.2.3\n" {
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
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"std", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk"} {
		if !slices.ContainsFunc(bom.Components, func(c struct{ Name, Version, PURL string }) bool { return c.Name == want && c.Version != "" }) {
			t.Errorf("the SBOM does not list %s", want)
		}
	}
}

// checkBundle lets mcpb check a bundle, packs it again with mcpb, and runs both as a client
// does.
func checkBundle(t *testing.T, file string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "unpacked")
	mcpb(t, "unpack", file, dir)
	mcpb(t, "validate", filepath.Join(dir, "manifest.json"))
	runBundle(t, dir)
	packed := filepath.Join(t.TempDir(), "again.mcpb")
	mcpb(t, "pack", dir, packed)
	again := filepath.Join(t.TempDir(), "again")
	mcpb(t, "unpack", packed, again)
	runBundle(t, again)
}

// mcpb runs the tool of the makers of the format.
func mcpb(t *testing.T, args ...string) {
	t.Helper()
	out, err := node(t, filepath.Join("node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("mcpb %s: %v\n%s", args[0], err, out)
	}
}

// runBundle starts the server of an unpacked bundle as its manifest says. No key is set, so
// the client leaves those as they are.
func runBundle(t *testing.T, dir string) {
	t.Helper()
	var manifest struct {
		Version string
		Server  struct {
			Config struct {
				Command string
				Args    []string
				Env     map[string]string
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(readFile(t, filepath.Join(dir, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != "1.2.3" {
		t.Errorf("the bundle has version %s", manifest.Version)
	}
	filled := strings.NewReplacer("${__dirname}", dir, "${user_config.agent}", "planner").Replace
	var args []string
	for _, arg := range manifest.Server.Config.Args {
		args = append(args, filled(arg))
	}
	args = append(args, "--db", filepath.Join(t.TempDir(), "test.db"))
	cmd := exec.CommandContext(t.Context(), filled(manifest.Server.Config.Command), args...)
	for name, value := range manifest.Server.Config.Env {
		cmd.Env = append(cmd.Env, name+"="+filled(value))
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: m{"path": "plan.md", "content": "x"}})
	if err != nil || got.IsError {
		t.Errorf("write_file of the bundle: %v, %+v", err, got)
	}
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
