package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const downloads = "https://github.com/agent-scratchpad/scratchpad/releases/download/"

// platforms are the names of systems in a manifest.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// bundle packs the program as an MCPB bundle, from deploy/mcpb/manifest.json.
func (s source) bundle(b build) ([]byte, error) {
	manifest, err := s.object("deploy/mcpb/manifest.json")
	if err != nil {
		return nil, err
	}
	goos, _, _ := strings.Cut(b.system, "/")
	manifest["version"] = s.version()
	manifest["compatibility"] = map[string]any{"platforms": []string{platforms[goos]}}
	server, ok := manifest["server"].(map[string]any)
	config, ok2 := server["mcp_config"].(map[string]any)
	if !ok || !ok2 {
		return nil, fmt.Errorf("deploy/mcpb/manifest.json has no server.mcp_config")
	}
	server["entry_point"] = "server/" + b.program()
	config["command"] = "${__dirname}/server/" + b.program()
	text, err := indented(manifest)
	if err != nil {
		return nil, err
	}
	entries, err := s.texts("LICENSE", "NOTICE")
	if err != nil {
		return nil, err
	}
	return zipped(append([]entry{{"manifest.json", 0o644, text}, {"server/" + b.program(), 0o755, b.binary}},
		entries...), s.time)
}

// addServer adds server.json for the MCP registry, with a package for each bundle.
func (s source) addServer(files map[string][]byte) error {
	server, err := s.object("deploy/server.json")
	if err != nil {
		return err
	}
	packages, _ := server["packages"].([]any)
	if len(packages) != 1 {
		return fmt.Errorf("deploy/server.json has %d packages; it must have the model of one", len(packages))
	}
	model, ok := packages[0].(map[string]any)
	if !ok {
		return fmt.Errorf("the package of deploy/server.json is not an object")
	}
	packages = nil
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".mcpb") {
			continue
		}
		p := maps.Clone(model)
		p["identifier"], p["fileSha256"] = downloads+s.tag+"/"+name, sum(files[name])
		packages = append(packages, p)
	}
	server["version"], server["packages"] = s.version(), packages
	files["server.json"], err = indented(server)
	return err
}

// object reads a file of the clone that is an object in JSON.
func (s source) object(name string) (object map[string]any, err error) {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return object, nil
}

// indented encodes a value with its keys in a fixed order.
func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
