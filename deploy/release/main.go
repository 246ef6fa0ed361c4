// Command release builds a release of Scratchpad into a folder:
//
//	git tag v0.1.0
//	go run ./deploy/release -out dist
//
// The folder gets an archive and a CycloneDX SBOM for each system, and checksums.txt. Nothing is
// uploaded. tools/bundle makes the MCPB bundles.
//
// A release is reproducible: every clone of the tagged commit gives the same bytes with the
// same version of Go. The working tree must be clean, as the version comes from git.
package main

// Where to begin: main.go builds, archive.go packs, and sbom.go lists what a program contains.

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// systems are all that a release is for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	out := flag.String("out", "dist", "the `folder` to write; it must not exist yet")
	only := flag.String("systems", strings.Join(systems, ","), "the systems to build for; fewer for a trial")
	flag.Parse()
	err := run(context.Background(), *out, strings.Split(*only, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A source is the commit that a release is made from.
type source struct {
	root string // the folder of the clone
	tag  string // such as v0.1.0
	time time.Time
}

// version is the tag without its v.
func (s source) version() string { return strings.TrimPrefix(s.tag, "v") }

// A build is the program for one system.
type build struct {
	system string // such as linux/amd64
	binary []byte
	info   *buildinfo.BuildInfo
}

// name is the name of the files of the build, without what tells their kind.
func (b build) name(s source) string {
	return "scratchpad_" + s.version() + "_" + strings.ReplaceAll(b.system, "/", "_")
}

// program is the name of the program's file.
func (b build) program() string {
	if strings.HasPrefix(b.system, "windows/") {
		return "scratchpad.exe"
	}
	return "scratchpad"
}

func run(ctx context.Context, out string, wanted []string) error {
	for _, system := range wanted {
		if !slices.Contains(systems, system) {
			return fmt.Errorf("system %q is not one of %s", system, strings.Join(systems, ", "))
		}
	}
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%s exists; remove it, or give another folder", out)
	}
	s, err := newSource(ctx)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "scratchpad-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	files := map[string][]byte{}
	for _, system := range wanted {
		fmt.Fprintln(os.Stderr, "release: build", s.tag, "for", system)
		b, err := s.build(ctx, temp, system)
		if err != nil {
			return err
		}
		if err := s.pack(b, files); err != nil {
			return err
		}
	}
	files["checksums.txt"] = checksums(files)
	return write(out, files)
}

// newSource looks at the clone that the working folder is in.
func newSource(ctx context.Context) (source, error) {
	var s source
	var err error
	if s.root, err = git(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return s, err
	}
	changed, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return s, err
	}
	if changed != "" {
		return s, fmt.Errorf("the working tree has changes that are not committed: %.200q", changed)
	}
	if s.tag, err = git(ctx, "describe", "--tags", "--exact-match", "--match", "v[0-9]*", "HEAD"); err != nil {
		return s, fmt.Errorf("the commit has no tag of a version; make one, such as: git tag v0.1.0: %w", err)
	}
	seconds, err := git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return s, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	s.time = time.Unix(unix, 0).UTC()
	return s, err
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// maxProgram is how many bytes a program may have.
const maxProgram = 50_000_000

// build builds the program for one system. Nothing of this machine's settings may change
// the result.
func (s source) build(ctx context.Context, temp, system string) (build, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	file := filepath.Join(temp, goos+"-"+goarch)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", file,
		"./cmd/scratchpad")
	cmd.Dir, cmd.Stderr = s.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	if err := cmd.Run(); err != nil {
		return build{}, fmt.Errorf("go build for %s: %w", system, err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return build{}, err
	}
	if info.Main.Version != s.tag {
		return build{}, fmt.Errorf("the program for %s has version %s, not %s", system, info.Main.Version, s.tag)
	}
	binary, err := os.ReadFile(file)
	if err == nil && len(binary) > maxProgram {
		err = fmt.Errorf("the program for %s has %d bytes, over %d", system, len(binary), maxProgram)
	}
	return build{system, binary, info}, err
}

// pack adds the files of one system.
func (s source) pack(b build, files map[string][]byte) error {
	archive, err := s.archive(b)
	if err != nil {
		return err
	}
	bom, err := s.bom(b)
	if err != nil {
		return err
	}
	kind := ".tar.gz"
	if strings.HasPrefix(b.system, "windows/") {
		kind = ".zip"
	}
	files[b.name(s)+kind], files[b.name(s)+".cdx.json"] = archive, bom
	return nil
}

// checksums lists the files as sha256sum does, so that sha256sum -c checks them.
func checksums(files map[string][]byte) []byte {
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&list, "%s  %s\n", sum(files[name]), name)
	}
	return []byte(list.String())
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// write writes the files into a new folder.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
