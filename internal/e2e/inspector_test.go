package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var inspectorPath = filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")

// inspectorSteps are the steps that the Inspector takes. They are few, because each of
// them starts a process of Node. Completion is missing, because --cli has no method for it.
var inspectorSteps = []string{
	"tools", "write", "edit", "read", "resource that is not there",
	"templates", "diff", "no such file", "append", "append again", "log", "write everything awkward", "read everything awkward",
	"write 1 MiB", "read 1 MiB", "resource", "delete",
}

// inspectorFew is how many of these steps it takes where few are enough.
const inspectorFew = 4

// maxArgument is the longest argument of a command line on Linux, in bytes.
const maxArgument = 128 << 10

// runInspector runs the Inspector once for each request. Each run is a session of its
// own, and over stdio a server process of its own.
func runInspector(era string) runner {
	return func(t *testing.T, g *target, requests []request) (string, []answer, error) {
		var answers []answer
		for _, r := range requests {
			if r.Method == pausing {
				testkit.Must(t, pause(t.Context(), r))
				answers = append(answers, answer{})
				continue
			}
			args, fits := inspectorArgs(r)
			if !fits { // another client writes it, and the Inspector reads it
				version := withHandshake
				if era != "legacy" {
					version = stateless
				}
				_, a, err := runGoSDK(version)(t, g, []request{r})
				if err != nil {
					return "", nil, err
				}
				answers = append(answers, a...)
				continue
			}
			answers = append(answers, inspect(t, g, era, args...))
		}
		return "", answers, nil
	}
}

func inspectorArgs(r request) (args []string, fits bool) {
	args = []string{"--method", r.Method}
	switch r.Method {
	case "tools/call":
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(r.Params["arguments"]); err != nil {
			panic(err)
		}
		if text.Len() >= maxArgument {
			return nil, false
		}
		args = append(args, "--tool-name", r.Params["name"].(string), "--tool-args-json", strings.TrimSpace(text.String()))
	case "resources/read":
		args = append(args, "--uri", r.Params["uri"].(string))
	}
	return args, true
}

// inspect runs the Inspector's command line.
func inspect(t *testing.T, g *target, era string, args ...string) answer {
	t.Helper()
	stdout, stderr, _ := inspector(t, g, era, args...)
	var got struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
			Tools   []struct {
				Name        string
				InputSchema any
			}
			ResourceTemplates []struct{ URITemplate string }
			Contents          []struct{ Text string }
		}
		Error struct {
			Message string
		}
	}
	text := stdout
	if len(text) == 0 {
		text = stderr
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("the Inspector printed %.500q and %.500q: %v", stdout, stderr, err)
	}
	a := answer{IsError: got.Result.IsError, Error: got.Error.Message}
	for _, c := range append(got.Result.Content, got.Result.Contents...) {
		a.Blocks = append(a.Blocks, c.Text)
	}
	for _, tool := range got.Result.Tools {
		a.Blocks = append(a.Blocks, tool.Name)
		a.AgentID = a.AgentID || takesAgent(tool.InputSchema)
	}
	for _, template := range got.Result.ResourceTemplates {
		a.Blocks = append(a.Blocks, template.URITemplate)
	}
	return a
}

func inspector(t *testing.T, g *target, era string, args ...string) (stdout, stderr []byte, code int) {
	t.Helper()
	line := []string{"--cli"}
	if g.command != nil {
		line = append(line, g.command...)
	} else {
		line = append(line, "--server-url", g.url, "--transport", "http")
		if g.key != "" {
			line = append(line, "--header", "Authorization: Bearer "+g.key)
		}
	}
	line = append(line, "--protocol-era", era, "--format", "json", "--quiet")
	cmd := node(t, inspectorPath, append(line, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()
}

// TestInspectorStrict lets the Inspector check the schemas of the tools for forms that
// some clients do not accept.
func TestInspectorStrict(t *testing.T) {
	t.Parallel()
	if _, stderr, code := inspector(t, overHTTP(t), "modern", "--method", "tools/list", "--strict"); code != 0 || len(stderr) != 0 {
		t.Errorf("exit code %d, want 0 and no word:\n%s", code, stderr)
	}
}
