package doors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An mcpDoor is an MCP client of the server.
type mcpDoor struct {
	session *mcp.ClientSession
	reads   bool // reads a file before it changes the file, and gives if_version
	rewrite bool // writes the whole file then
}

func (h *house) openMCP(name string, n int) (door, workspace.Author) {
	h.t.Helper()
	id, key := h.newKey(name)
	session := h.connect(name, &mcp.StreamableClientTransport{Endpoint: h.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}})
	return &mcpDoor{session, n > 1, n > 2}, workspace.Author{Client: name, Key: id}
}

// connect opens a session of a client of this name.
func (h *house) connect(name string, transport mcp.Transport) *mcp.ClientSession {
	h.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(h.t.Context(), transport, nil)
	must(h.t, err)
	h.t.Cleanup(func() { must(h.t, session.Close()) })
	return session
}

// A bearer is the key that goes with requests.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

type m = map[string]any

// A toolError is what a tool says went wrong.
type toolError string

// Error implements error.
func (e toolError) Error() string { return string(e) }

// callTool returns the blocks of text that a tool answers with.
func callTool(ctx context.Context, session *mcp.ClientSession, tool string, arguments any) ([]string, error) {
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	var blocks []string
	for _, c := range r.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	if r.IsError {
		return nil, toolError(strings.Join(blocks, "\n"))
	}
	return blocks, nil
}

// call is callTool with errGone for a file that is not there.
func (d *mcpDoor) call(ctx context.Context, tool string, arguments m) ([]string, error) {
	blocks, err := callTool(ctx, d.session, tool, arguments)
	var told toolError
	if errors.As(err, &told) && strings.Contains(string(told), "no such file") {
		return nil, errGone
	}
	return blocks, err
}

func (d *mcpDoor) add(ctx context.Context, path, line string) error {
	if !d.reads {
		_, err := d.call(ctx, "edit_file", m{"path": path, "old_text": "", "new_text": line})
		return err
	}
	for range maxTries {
		content, version, err := d.readFile(ctx, path)
		if err != nil {
			return err
		}
		if d.rewrite {
			_, err = d.call(ctx, "write_file", m{"path": path, "content": content + line, "if_version": version})
		} else {
			_, err = d.call(ctx, "edit_file", m{"path": path, "old_text": "", "new_text": line, "if_version": version})
		}
		var told toolError
		if !errors.As(err, &told) || !strings.Contains(string(told), "if_version") {
			return err
		}
	}
	return fmt.Errorf("%s changed %d times between a read and a write", path, maxTries)
}

func (d *mcpDoor) readFile(ctx context.Context, path string) (content string, version int64, err error) {
	blocks, err := d.call(ctx, "read_file", m{"path": path})
	if err != nil {
		return "", 0, err
	}
	var record struct {
		Version int64 `json:"current_version"`
	}
	if err := json.Unmarshal([]byte(blocks[0]), &record); err != nil || len(blocks) != 2 {
		return "", 0, fmt.Errorf("read_file answers %q: %v", blocks, err)
	}
	return blocks[1], record.Version, nil
}

func (d *mcpDoor) create(ctx context.Context, path, content string) error {
	_, err := d.call(ctx, "write_file", m{"path": path, "content": content, "if_version": 0})
	return err
}

func (d *mcpDoor) move(ctx context.Context, path, to string) error {
	_, err := d.call(ctx, "move_file", m{"path": path, "new_path": to})
	return err
}

func (d *mcpDoor) remove(ctx context.Context, path string) error {
	_, err := d.call(ctx, "delete_file", m{"path": path})
	return err
}

func (d *mcpDoor) read(ctx context.Context, path string) (string, error) {
	content, _, err := d.readFile(ctx, path)
	return content, err
}
