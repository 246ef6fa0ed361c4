package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
)

// patience is how long a server may take to start and to list its tools, and a command of Claude
// Code to run.
const patience = 30 * time.Second

// Check starts the server that the client's file names, as the client does, and sets Tools to
// the names of its tools. It works in an empty folder that is no project.
func (c *Client) Check(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "scratchpad-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	have, err := c.ReadEntry(c.File, ServerName)
	if err != nil {
		return err
	}
	s, found := have.Server()
	if want := c.Entry.Server; !found || s.Command != want.Command || !slices.Equal(s.Args, want.Args) {
		return fmt.Errorf("%s does not have the server %s that setup has written; run setup again", c.File,
			ServerName)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said := &tail{}
	for i, arg := range s.Args {
		s.Args[i] = strings.ReplaceAll(arg, clientconfig.WorkspaceFolder, dir)
	}
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, said, append(os.Environ(), "CLAUDE_PROJECT_DIR="+dir)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "scratchpad-setup"}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return fmt.Errorf("start %s as %s does: %v%s; run the command of %s in a terminal to see more",
			s.Command, c.Title, err, said, c.File)
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the tools of %s as %s does: %v%s", s.Command, c.Title, err, said)
		}
		c.Tools = append(c.Tools, tool.Name)
	}
	if len(c.Tools) == 0 {
		return fmt.Errorf("%s has no tools", s.Command)
	}
	return nil
}

// tail keeps the end of what a server says to standard error.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	const most = 1000
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	if text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?")); text != "" {
		return "; it says: " + text
	}
	return ""
}
