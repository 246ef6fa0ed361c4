package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// TestBundle makes the MCPB bundle of this system and server.json from what GoReleaser leaves.
// The tool of the format accepts the bundle. A client starts its server as the manifest says.
func TestBundle(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	name := bundle(t, filepath.Join(work, "dist"))
	file := filepath.Join(work, "dist", name)
	checkServerJSON(t, filepath.Dir(file))
	dir := filepath.Join(work, "unpacked")
	cli := filepath.Join("node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	run(t, node(t, cli, "info", file))
	run(t, node(t, cli, "unpack", file, dir))
	run(t, node(t, cli, "validate", filepath.Join(dir, "manifest.json")))
	useBundle(t, dir)
}

// bundle makes the bundle of this system in a new folder, and returns its name.
func bundle(t *testing.T, dist string) string {
	t.Helper()
	program := "scratchpad" + exeSuffix()
	built := filepath.Join(dist, "built")
	testkit.Must(t, errors.Join(os.MkdirAll(built, 0o700), os.Symlink(scratchpadPath, filepath.Join(built, program))))
	artifacts := fmt.Sprintf(`[{"name":%q,"path":"dist/built/%s","goos":%q,"goarch":%q,"type":"Binary"}]`, program, program, runtime.GOOS, runtime.GOARCH)
	testkit.Must(t, errors.Join(os.WriteFile(filepath.Join(dist, "artifacts.json"), []byte(artifacts), 0o600),
		os.WriteFile(filepath.Join(dist, "metadata.json"), []byte(`{"version":"1.2.3"}`), 0o600),
		os.WriteFile(filepath.Join(dist, "checksums.txt"), nil, 0o600)))
	run(t, exec.Command("go", "-C", filepath.Join(root, "tools"), "run", "-trimpath", "./bundle", "-dist", dist, "-systems", runtime.GOOS+"/"+runtime.GOARCH))
	return "scratchpad_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".mcpb"
}

// checkServerJSON checks server.json by the schema of the registry, and that a server starts with
// the arguments for the image.
func checkServerJSON(t *testing.T, dist string) {
	t.Helper()
	text := readFile(t, filepath.Join(dist, "server.json"))
	schema := filepath.Join(moduleDir(t, registry), "internal", "validators", "schemas", "2025-12-11.json")
	if err := validate(t, schema, text); err != nil {
		t.Errorf("server.json: %v", err)
	}
	var server struct {
		Packages []struct {
			PackageArguments []struct{ Name, Value, Default string }
		}
	}
	testkit.Must(t, json.Unmarshal(text, &server))
	args := []string{"--db", filepath.Join(t.TempDir(), "test.db")}
	for _, a := range server.Packages[1].PackageArguments {
		args = append(args, strings.TrimPrefix(a.Name+"="+a.Value+a.Default, "="))
	}
	cmd := exec.Command(scratchpadPath, args...) // with the end of its input
	cmd.Env = []string{"HOME=" + homeDir}
	run(t, cmd)
}

// useBundle starts the server of an unpacked bundle. Where a person sets nothing but the memory's
// name, the server gets empty settings. Where a person names a database, the server writes there. Its tools are
// those of the manifest.
func useBundle(t *testing.T, dir string) {
	t.Helper()
	for name, value := range startOf(t, dir, `{"agent":"planner"}`).Env {
		if value != "" {
			t.Errorf("without settings, %s is %q", name, value)
		}
	}
	db := filepath.Join(t.TempDir(), "test.db")
	start := startOf(t, dir, fmt.Sprintf(`{"agent":"planner","database":%q}`, db))
	cmd := exec.CommandContext(t.Context(), start.Command, start.Args...)
	for name, value := range start.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	session := connect(t, &mcp.CommandTransport{Command: cmd})
	use(t, session, "write_file", m{"path": "plan.md", "content": "x"})
	if out := run(t, exec.Command(scratchpadPath, "files", "cat", "plan.md", "--agent", "planner", "--db", db)); out != "x" {
		t.Errorf("plan.md of planner is %q, want x", out)
	}
	list, err := session.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	type tool struct{ Name, Description string }
	var tools []tool
	for _, one := range list.Tools {
		tools = append(tools, tool{one.Name, one.Description})
	}
	var manifest struct{ Tools []tool }
	testkit.Must(t, json.Unmarshal(readFile(t, filepath.Join(dir, "manifest.json")), &manifest))
	if diff := cmp.Diff(tools, manifest.Tools); diff != "" || !slices.ContainsFunc(tools, func(t tool) bool { return t.Name == "read_file" }) {
		t.Errorf("the manifest has other tools than the server (-server +manifest):\n%s", diff)
	}
}

// A start is how a client starts a server.
type start struct {
	Command string
	Args    []string
	Env     map[string]string
}

// startOf returns how MCPB's library starts the server of an unpacked bundle, with a person's
// settings.
func startOf(t *testing.T, dir, settings string) (s start) {
	t.Helper()
	cmd := node(t, "bundle.mjs", dir, settings)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	testkit.Must(t, errors.Join(err, json.Unmarshal(out, &s)))
	return s
}
