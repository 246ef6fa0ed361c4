package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

// claudePatience is how long the command of Claude Code may take.
const claudePatience = 30 * time.Second

// claudeFor returns the command of Claude Code if it has to edit a file: a session that runs
// writes the file too. It returns "" for another file, or if the command is not on the PATH.
func claudeFor(file string) string {
	if filepath.Base(file) != ".claude.json" {
		return ""
	}
	claude, err := exec.LookPath("claude")
	if err != nil {
		return ""
	}
	return claude
}

// byClaude makes Claude Code write the entry, and returns the content of its file.
func (c *Client) byClaude(ctx context.Context, claude string, p clientconfig.Preview) (left []byte, err error) {
	if have, err := c.Client.EntryIn(p.File, p.Old, ServerName); err != nil || have.Exists() {
		if err == nil {
			err = removeByClaude(ctx, claude)
		}
		if err != nil {
			return nil, err
		}
	}
	s := c.Entry.Server
	args := append([]string{"add", "-s", "user", ServerName, "--", s.Command}, s.Args...)
	if err := runClaude(ctx, claude, args...); err != nil {
		return nil, err
	}
	left, err = os.ReadFile(p.File)
	if err != nil {
		return nil, err
	}
	have, err := c.Client.EntryIn(p.File, left, ServerName)
	want, wantErr := c.Client.EntryIn(p.File, p.New, ServerName)
	if err == nil && wantErr == nil && !have.Starts(want) {
		err = fmt.Errorf("claude mcp add did not write the entry into %s; CLAUDE_CONFIG_DIR must be the same for both",
			p.File)
	}
	return left, err
}

func removeByClaude(ctx context.Context, claude string) error {
	return runClaude(ctx, claude, "remove", "-s", "user", ServerName)
}

// runClaude runs a command of claude mcp. It runs in a folder without settings of a project.
func runClaude(ctx context.Context, claude string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, claudePatience)
	defer cancel()
	dir, err := os.MkdirTemp("", "scratchpad-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	said := &tail{}
	cmd := exec.CommandContext(ctx, claude, append([]string{"mcp"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, said, said, time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("claude mcp %s: %v%s; run what scratchpad client-config claude-code prints yourself", args[0],
			err, terminal.OneLine(said.String()))
	}
	return nil
}
