// Command bundle makes the files of a release for MCP clients and their registry, from the
// programs that GoReleaser has built:
//
//	go -C tools run ./bundle
//
// It reads artifacts.json and metadata.json in GoReleaser's folder. There it writes an MCPB
// bundle for each system and server.json for the MCP registry, and adds them to checksums.txt.
// The same programs give the same bytes. The models are deploy/mcpb and deploy/server.json.
//
// A bundle is for one system, because a manifest can choose by the system, not by the processor.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	root      = ".." // the repository, from the folder of this module
	downloads = "https://github.com/agent-scratchpad/scratchpad/releases/download/v"
	systems   = "darwin/amd64,darwin/arm64,linux/amd64,linux/arm64,windows/amd64,windows/arm64"
)

func main() {
	dist := flag.String("dist", root+"/dist", "the `folder` of GoReleaser")
	wanted := flag.String("systems", systems, "the systems that must be there; fewer for a trial")
	flag.Parse()
	r, err := open(*dist)
	if err == nil {
		err = r.make(strings.Split(*wanted, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// A release is what GoReleaser has built, and what was made of it.
type release struct {
	dist, version string
	programs      map[string]string // the file of each system
	sums          map[string]string // the digest of each new file
}

// open reads what GoReleaser has built. The paths that it gives are relative to the folder that
// dist is in.
func open(dist string) (*release, error) {
	var artifacts []struct{ Path, Goos, Goarch, Type string }
	var metadata struct{ Version string }
	err := errors.Join(read(dist+"/artifacts.json", &artifacts), read(dist+"/metadata.json", &metadata))
	r := &release{dist, metadata.Version, map[string]string{}, map[string]string{}}
	for _, a := range artifacts {
		if a.Type == "Binary" {
			r.programs[a.Goos+"/"+a.Goarch] = filepath.Join(filepath.Dir(dist), filepath.FromSlash(a.Path))
		}
	}
	return r, err
}

func (r *release) make(systems []string) error {
	for _, system := range systems {
		if r.programs[system] == "" {
			return fmt.Errorf("%s/artifacts.json has no program for %q", r.dist, system)
		}
	}
	for _, system := range systems {
		if err := r.bundle(system); err != nil {
			return err
		}
	}
	if err := r.server(systems); err != nil {
		return err
	}
	return r.checksums()
}

// bundle writes the bundle of a system.
func (r *release) bundle(system string) error {
	var manifest map[string]any
	if err := read(root+"/deploy/mcpb/manifest.json", &manifest); err != nil {
		return err
	}
	goos, _, _ := strings.Cut(system, "/")
	program := "server/" + filepath.Base(r.programs[system])
	server := manifest["server"].(map[string]any)
	server["entry_point"], server["mcp_config"].(map[string]any)["command"] = program, "${__dirname}/"+program
	manifest["version"] = r.version
	manifest["compatibility"] = map[string]any{"platforms": []string{strings.Replace(goos, "windows", "win32", 1)}}
	text, err := indented(manifest)
	if err != nil {
		return err
	}
	packed, err := zipped(text,
		file{program, r.programs[system], 0o755},
		file{"icon.png", root + "/deploy/mcpb/icon.png", 0o644},
		file{"LICENSE", root + "/LICENSE", 0o644},
		file{"NOTICE", root + "/NOTICE", 0o644})
	if err != nil {
		return err
	}
	return r.write(r.name(system), packed)
}

// name returns the name of the bundle of a system.
func (r *release) name(system string) string {
	return "scratchpad_" + r.version + "_" + strings.ReplaceAll(system, "/", "_") + ".mcpb"
}

// server writes server.json, with a package for the bundle of each system and one for the image.
func (r *release) server(systems []string) error {
	var server map[string]any
	if err := read(root+"/deploy/server.json", &server); err != nil {
		return err
	}
	var packages []any
	for _, p := range server["packages"].([]any) {
		model := p.(map[string]any)
		if model["registryType"] == "oci" {
			name, _, _ := strings.Cut(model["identifier"].(string), ":")
			model["identifier"] = name + ":" + r.version
			packages = append(packages, model)
			continue
		}
		for _, system := range systems {
			name, bundle := r.name(system), maps.Clone(model)
			bundle["identifier"], bundle["fileSha256"] = downloads+r.version+"/"+name, r.sums[name]
			packages = append(packages, bundle)
		}
	}
	server["version"], server["packages"] = r.version, packages
	text, err := indented(server)
	if err != nil {
		return err
	}
	return r.write("server.json", text)
}

// checksums adds the new files to GoReleaser's list, in the place of what a run before added.
func (r *release) checksums() error {
	file := r.dist + "/checksums.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if r.sums[name] == "" {
			r.sums[name] = sum
		}
	}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&list, "%s  %s\n", r.sums[name], name)
	}
	return os.WriteFile(file, []byte(list.String()), 0o644)
}

func read(name string, v any) error {
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
