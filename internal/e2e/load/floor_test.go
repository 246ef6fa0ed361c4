//go:build linux

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The floor is a server on the same SDK over a map. It has no disk, no keys, no limits and
// no log.
type floor struct {
	mu    sync.Mutex // guards the following
	files map[[2]string]floorFile
}

type floorFile struct {
	content string
	version int
}

type floorWrite struct {
	AgentID string `json:"agent_id"`
	Path    string `json:"path"`
	Content string `json:"content"`
}

type floorRead struct {
	AgentID string `json:"agent_id"`
	Path    string `json:"path"`
}

func (f *floor) write(_ context.Context, _ *mcp.CallToolRequest, a floorWrite) (*mcp.CallToolResult, any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := [2]string{a.AgentID, a.Path}
	f.files[key] = floorFile{a.Content, f.files[key].version + 1}
	return textResult(fmt.Sprintf(`{"path":%q,"version":%d,"bytes_written":%d}`, a.Path, f.files[key].version, len(a.Content)))
}

func (f *floor) read(_ context.Context, _ *mcp.CallToolRequest, a floorRead) (*mcp.CallToolResult, any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.files[[2]string{a.AgentID, a.Path}]
	text, err := json.Marshal(map[string]any{"path": a.Path, "current_version": file.version, "content": file.content})
	if err != nil {
		return nil, nil, err
	}
	return textResult(string(text))
}

func textResult(text string) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

// serveFloor serves on a free port until the process is killed. It says where, as
// scratchpad serve does.
func serveFloor() error {
	f := &floor{files: map[[2]string]floorFile{}}
	s := mcp.NewServer(&mcp.Implementation{Name: "floor", Version: "0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "write_file", Description: "write_file"}, f.write)
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "read_file"}, f.read)
	get := func(*http.Request) *mcp.Server { return s }
	before := mcp.NewStreamableHTTPHandler(get, nil)
	now := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "serving http://%s/mcp\na kill stops the server\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/readyz":
		case r.Header.Get("Mcp-Protocol-Version") == modern:
			now.ServeHTTP(w, r)
		default:
			before.ServeHTTP(w, r)
		}
	}))
}

// startFloor starts the floor in a process of its own.
func startFloor(t testing.TB) *server {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "floor.log"))
	must(t, err)
	defer log.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), floorVariable+"=1")
	cmd.Stderr = log
	return launch(t, cmd, func() string { return served(log.Name(), 0) })
}
