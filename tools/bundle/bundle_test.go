package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// newDist returns the folder that GoReleaser leaves. The programs have only their system's name.
func newDist(t *testing.T, systems ...string) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	var artifacts []map[string]string
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		name := "scratchpad"
		if goos == "windows" {
			name += ".exe"
		}
		path := "dist/scratchpad_" + goos + "_" + goarch + "_v1/" + name
		file := filepath.Join(filepath.Dir(dist), path)
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testkit.Must(t, os.WriteFile(file, []byte(system), 0o700))
		artifacts = append(artifacts, map[string]string{"name": name, "path": path, "goos": goos, "goarch": goarch, "type": "Binary"},
			map[string]string{"name": "x.tar.gz", "path": "dist/x.tar.gz", "goos": goos, "goarch": goarch, "type": "Archive"})
	}
	text, err := json.Marshal(artifacts)
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(dist+"/artifacts.json", text, 0o600))
	testkit.Must(t, os.WriteFile(dist+"/metadata.json", []byte(`{"tag":"v1.2.3","version":"1.2.3"}`), 0o600))
	testkit.Must(t, os.WriteFile(dist+"/checksums.txt", []byte("aa  x.tar.gz\nbb  server.json\n"), 0o600))
	return dist
}

func makeAll(dist string, wanted ...string) error {
	r, err := open(dist)
	if err != nil {
		return err
	}
	return r.make(wanted)
}

// Each system has a bundle with its own program, and server.json and checksums.txt have the
// digests of all. A second run, and a run elsewhere, give the same bytes.
func TestBundles(t *testing.T) {
	t.Chdir("..")
	wanted := strings.Split(systems, ",")
	dist, other := newDist(t, wanted...), newDist(t, wanted...)
	testkit.Must(t, makeAll(dist, wanted...))
	testkit.Must(t, makeAll(other, wanted...))
	testkit.Must(t, makeAll(other, wanted...))
	list := testkit.ReadFile(t, dist+"/checksums.txt")
	if again := testkit.ReadFile(t, other+"/checksums.txt"); again != list {
		t.Errorf("two runs give\n%s\nand\n%s", list, again)
	}
	var server struct {
		Version  string
		Packages []struct{ RegistryType, Identifier, FileSha256 string }
	}
	testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, dist+"/server.json")), &server))
	if n := len(server.Packages); n != 7 || server.Version != "1.2.3" {
		t.Fatalf("server.json has version %s and %d packages, want 1.2.3 and a package for each system and the image", server.Version, n)
	}
	if p := server.Packages[6]; p.RegistryType != "oci" || p.Identifier != "ghcr.io/agent-scratchpad/scratchpad:1.2.3" {
		t.Errorf("the package of the image is %+v", p)
	}
	sums := map[string]string{"x.tar.gz": "aa", "server.json": sumOf(t, dist+"/server.json")}
	for i, system := range wanted {
		name := "scratchpad_1.2.3_" + strings.Replace(system, "/", "_", 1) + ".mcpb"
		sums[name] = sumOf(t, filepath.Join(dist, name))
		p := server.Packages[i]
		if p.RegistryType != "mcpb" || p.FileSha256 != sums[name] || p.Identifier != downloads+"1.2.3/"+name {
			t.Errorf("the package of %s is %+v; the digest is %s", system, p, sums[name])
		}
		checkBundle(t, filepath.Join(dist, name), system)
	}
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&want, "%s  %s\n", sums[name], name)
	}
	if list != want.String() {
		t.Errorf("checksums.txt is\n%s\nwant\n%s", list, &want)
	}
}

func sumOf(t *testing.T, name string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(testkit.ReadFile(t, name)))
	return hex.EncodeToString(sum[:])
}

// checkBundle checks that a bundle has plain names and its sizes where each file begins, that
// its program is that of the system, and that its manifest starts this program.
func checkBundle(t *testing.T, name, system string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	testkit.Must(t, err)
	defer z.Close()
	goos, _, _ := strings.Cut(system, "/")
	program, platform := "server/scratchpad", goos
	if goos == "windows" {
		program, platform = "server/scratchpad.exe", "win32"
	}
	content := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		testkit.Must(t, err)
		content[f.Name], err = io.ReadAll(r)
		testkit.Must(t, err)
		mode := map[bool]os.FileMode{true: 0o755, false: 0o644}[f.Name == program]
		if f.Mode() != mode || f.Flags != 0 || f.Method != zip.Deflate {
			t.Errorf("%s in %s has mode %v, flags %x, method %d", f.Name, name, f.Mode(), f.Flags, f.Method)
		}
	}
	if got, want := slices.Sorted(maps.Keys(content)), []string{"LICENSE", "NOTICE", "icon.png", "manifest.json", program}; !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", name, got, want)
	}
	if !bytes.Equal(content[program], []byte(system)) {
		t.Errorf("%s has the program of %s", name, content[program])
	}
	var manifest struct {
		Version string
		Server  struct {
			Entry  string                   `json:"entry_point"`
			Config struct{ Command string } `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
	}
	testkit.Must(t, json.Unmarshal(content["manifest.json"], &manifest))
	if manifest.Version != "1.2.3" || manifest.Server.Entry != program || manifest.Server.Config.Command != "${__dirname}/"+program ||
		!slices.Equal(manifest.Compatibility.Platforms, []string{platform}) {
		t.Errorf("the manifest for %s is %+v", system, manifest)
	}
}

// A release that lacks a system is refused.
func TestSystemsAreComplete(t *testing.T) {
	t.Chdir("..")
	wanted := strings.Split(systems, ",")
	for i, system := range wanted {
		dist := newDist(t, slices.Delete(slices.Clone(wanted), i, i+1)...)
		if err := makeAll(dist, wanted...); err == nil || !strings.Contains(err.Error(), system) {
			t.Errorf("a release without %s: %v", system, err)
		}
	}
}

// GoReleaser always leaves a list of digests. Without it, the new one would lack the archives.
func TestChecksumsMustExist(t *testing.T) {
	t.Chdir("..")
	dist := newDist(t, "linux/amd64")
	testkit.Must(t, os.Remove(dist+"/checksums.txt"))
	if err := makeAll(dist, "linux/amd64"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a release without checksums.txt: %v", err)
	}
}
