package doors

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A toolDoor gives commands of the memory tool.
type toolDoor struct {
	run     func(ctx context.Context, command m) (text string, isError bool, err error)
	replace bool // puts a line after a line of its own with str_replace; else on top with insert
	last    map[string]string
}

// openTool returns tools in this process, and those of servers over stdio.
func (h *house) openTool(name string, n int) (door, workspace.Author) {
	h.t.Helper()
	author := workspace.Author{Client: name}
	run := here(h.ws.As(author))
	if n < 2 {
		server := exec.Command(scratchpadPath, "mcp", "--db", h.db, "--agent", agent, "--tools", "memory", "--max-versions", "1000")
		server.Stderr = h.t.Output()
		run = over(h.connect(name, &mcp.CommandTransport{Command: server}))
	}
	return &toolDoor{run, n%2 == 1, map[string]string{}}, author
}

// here runs commands in this process.
func here(ws *workspace.Workspace) func(context.Context, m) (string, bool, error) {
	return func(ctx context.Context, command m) (string, bool, error) {
		input, err := json.Marshal(command)
		if err != nil {
			return "", false, err
		}
		text, isError := memorycommand.Run(ctx, ws, input, memorycommand.Options{})
		return text, isError, nil
	}
}

// over gives commands to a server.
func over(session *mcp.ClientSession) func(context.Context, m) (string, bool, error) {
	return func(ctx context.Context, command m) (string, bool, error) {
		blocks, err := callTool(ctx, session, memorycommand.Name, command)
		if told, is := err.(toolError); is {
			return string(told), true, nil
		}
		return strings.Join(blocks, "\n"), false, err
	}
}

// do gives a command, whose answer must begin in this way.
func (d *toolDoor) do(ctx context.Context, command m, want string) (string, error) {
	text, isError, err := d.run(ctx, command)
	switch {
	case err != nil:
		return "", err
	case isError && strings.Contains(text, "does not exist"):
		return "", errGone
	case isError || !strings.HasPrefix(text, want):
		return "", fmt.Errorf("%v: %s", command, text)
	}
	return text, nil
}

func memories(path string) string { return "/memories/" + path }

func (d *toolDoor) add(ctx context.Context, path, line string) error {
	file := memories(path)
	if d.last[d.kind(path)] == "" || !d.replace {
		_, err := d.do(ctx, m{"command": "insert", "path": file, "insert_line": 0, "insert_text": line}, "The file "+file+" has been edited.")
		if err == nil {
			d.last[d.kind(path)] = line
		}
		return err
	}
	old := d.last[d.kind(path)]
	_, err := d.do(ctx, m{"command": "str_replace", "path": file, "old_str": old, "new_str": old + line}, "The memory file has been edited.")
	if err == nil {
		d.last[d.kind(path)] = line
	}
	return err
}

// kind tells the shared file, wherever it is, from those of the writer.
func (d *toolDoor) kind(path string) string {
	kind, _, _ := strings.Cut(path, "/")
	return strings.TrimSuffix(kind[:min(len(kind), len("shared"))], "/")
}

func (d *toolDoor) create(ctx context.Context, path, content string) error {
	delete(d.last, d.kind(path))
	_, err := d.do(ctx, m{"command": "create", "path": memories(path), "file_text": content}, "File created successfully at: "+memories(path))
	return err
}

func (d *toolDoor) move(ctx context.Context, path, to string) error {
	_, err := d.do(ctx, m{"command": "rename", "old_path": memories(path), "new_path": memories(to)}, "Successfully renamed "+memories(path))
	return err
}

func (d *toolDoor) remove(ctx context.Context, path string) error {
	_, err := d.do(ctx, m{"command": "delete", "path": memories(path)}, "Successfully deleted "+memories(path))
	return err
}

// read returns a file without the numbers of its lines.
func (d *toolDoor) read(ctx context.Context, path string) (string, error) {
	text, err := d.do(ctx, m{"command": "view", "path": memories(path)}, "Here's the content of "+memories(path)+" with line numbers:\n")
	if err != nil {
		return "", err
	}
	_, text, _ = strings.Cut(text, "\n")
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		line, ok := strings.CutPrefix(line, fmt.Sprintf("%6d\t", i+1))
		if !ok {
			return "", fmt.Errorf("view: line %d has another number: %q", i+1, line)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), nil
}
