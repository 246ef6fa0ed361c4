package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestSmithery starts the server as smithery.yaml says. Smithery publishes no schema of that
// file.
func TestSmithery(t *testing.T) {
	var file struct {
		Build        struct{ Dockerfile, DockerBuildPath string } `yaml:",omitempty"`
		StartCommand struct {
			Type            string
			ConfigSchema    map[string]any `yaml:"configSchema"`
			CommandFunction string         `yaml:"commandFunction"`
			ExampleConfig   map[string]any `yaml:"exampleConfig"`
		} `yaml:"startCommand"`
	}
	if err := yaml.Unmarshal(readFile(t, filepath.Join(root, "deploy", "smithery.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "deploy", file.Build.Dockerfile)); err != nil || file.StartCommand.Type != "stdio" {
		t.Errorf("smithery.yaml: %+v, %v", file, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("file:///config.json", file.StartCommand.ConfigSchema); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("file:///config.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(file.StartCommand.ExampleConfig); err != nil {
		t.Errorf("the example: %v", err)
	}
	for _, config := range []map[string]any{file.StartCommand.ExampleConfig, {}, {"agent": "planner", "openaiApiKey": "key"}} {
		runSmithery(t, file.StartCommand.CommandFunction, config)
	}
}

// runSmithery evaluates the function that makes the command, and uses the server.
func runSmithery(t *testing.T, function string, config map[string]any) {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), nodePath, "-p", "JSON.stringify(("+function+")("+string(text)+"))").Output()
	var command struct {
		Command string
		Args    []string
		Env     map[string]string
	}
	if err != nil || json.Unmarshal(out, &command) != nil || command.Command != "/scratchpad" {
		t.Fatalf("the command for %s: %v\n%s", text, err, out)
	}
	if key, _ := config["openaiApiKey"].(string); command.Env["OPENAI_API_KEY"] != key {
		t.Errorf("the environment for %s is %q", text, command.Env)
	}
	cmd := exec.CommandContext(t.Context(), scratchpadPath, append(command.Args, "--db", filepath.Join(t.TempDir(), "test.db"))...)
	for name, value := range command.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_files", Arguments: m{}})
	if err != nil || got.IsError {
		t.Errorf("list_files with %s: %v, %+v", text, err, got)
	}
}
