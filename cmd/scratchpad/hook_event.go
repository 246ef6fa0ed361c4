package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
)

// A hookEvent is what a client writes to a hook, as far as this program reads it. Clients write
// more.
type hookEvent struct {
	Name           string   `json:"hook_event_name"`
	NameInVSCode   string   `json:"hookEventName"`
	Source         string   `json:"source"`
	Folder         string   `json:"cwd"`
	Transcript     string   `json:"transcript_path"`
	Model          string   `json:"model"`
	PermissionMode string   `json:"permission_mode"`
	CursorVersion  string   `json:"cursor_version"`
	Roots          []string `json:"workspace_roots"` // of Cursor
}

const maxEvent = 1 << 20 // bytes

// readEvent reads an event. The client need not close its end.
func readEvent(in io.Reader) (e hookEvent, err error) {
	if err = json.NewDecoder(io.LimitReader(in, maxEvent)).Decode(&e); err != nil {
		return e, invalid("standard input has no event of at most %d bytes, as JSON: %v; a client writes one, and "+
			"scratchpad brief prints the same for people", maxEvent, err)
	}
	return e, nil
}

// begins reports whether a session has begun, or goes on after its context was cleared.
func (e hookEvent) begins() bool { return strings.EqualFold(e.Name+e.NameInVSCode, "SessionStart") }

func (e hookEvent) isCursor() bool { return e.CursorVersion != "" || len(e.Roots) > 0 }

// client returns the name of the client, which its mark has.
func (e hookEvent) client() string {
	isLikeCodex := e.Transcript == "" && e.Model != "" && e.PermissionMode != ""
	switch {
	case e.isCursor():
		return "cursor"
	case e.NameInVSCode != "":
		return "vscode"
	case os.Getenv("GEMINI_PROJECT_DIR") != "":
		return "gemini-cli"
	case strings.HasPrefix(filepath.Base(e.Transcript), "rollout-"), isLikeCodex:
		return "codex"
	}
	return "claude-code"
}

// folder returns the folder that the client works in. Claude Code's server stays in the folder of its
// variable when the session goes to a folder below. Another client may have got the variable from a
// session of Claude Code in which it was started.
func (e hookEvent) folder() string {
	if e.isCursor() && len(e.Roots) > 0 {
		return e.Roots[0]
	}
	folder := clientFolder(".")
	if e.Folder == "" || folder != "." && e.client() == "claude-code" && isAbove(folder, e.Folder) {
		return folder
	}
	return e.Folder
}

// isAbove reports whether a folder is another or is above it, after links.
func isAbove(folder, other string) bool {
	above, err := project.At(folder)
	below, err2 := project.At(other)
	return errors.Join(err, err2) == nil && repository.Contains(above.Folder, below.Folder)
}

// answer returns a text in the shape that the client takes. Codex refuses other keys.
func (e hookEvent) answer(text string) ([]byte, error) {
	var v any = map[string]any{"hookSpecificOutput": map[string]string{
		"hookEventName": "SessionStart", "additionalContext": text,
	}}
	if e.isCursor() {
		v = map[string]string{"additional_context": text}
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(v)
	return b.Bytes(), err
}

// servedToCursor says whose memory the server has that Cursor starts in a folder: that of an
// agent, or of the folder's project if agent is "". ok is false if it has no such server, or
// one that this program cannot tell. A repository may bring the file of its folder along, so
// that one counts only if it names the folder's own project.
func (p *process) servedToCursor(folder string) (agent string, ok bool, err error) {
	client, _ := clientconfig.Find("cursor")
	user, err := client.File()
	if err != nil {
		return "", false, err
	}
	shared := filepath.Join(folder, ".cursor", "mcp.json")
	for _, file := range []string{shared, user} {
		entry, err := client.ReadEntry(file, setup.ServerName)
		if err != nil {
			return "", false, fmt.Errorf("cursor: %w", err)
		}
		server, found := entry.Server()
		if !found {
			continue
		}
		same := func(has string, own *string) bool { return has == *cmp.Or(own, new(string)) }
		m, isMCP := clientconfig.MemoryOf(server.Args), slices.Index(server.Args, "mcp") == 0
		switch {
		case !isMCP, !same(m.Database, p.line.DB), !same(m.Tenant, p.line.Tenant):
			return "", false, nil
		case file == shared:
			own := []string{".", clientconfig.WorkspaceFolder, folder}
			return "", m.Agent == "" && slices.Contains(own, m.Folder), nil
		}
		return m.Agent, m.Agent != "", nil
	}
	return "", false, nil
}
