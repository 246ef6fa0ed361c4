package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The command that an answer gives names the memory that has the secret, and the right way.
func TestSecretsCommand(t *testing.T) {
	const secret = "glpat-" + "x7Kq2mVb9TzR4wYc1NsD"
	svc := newService(t, workspace.Options{Secrets: workspace.SecretsWarn})
	bound := connect(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "shop"), Tools: mcpserver.AllTools,
		Home: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
			return agentOf(t, svc, "default"), nil
		}}))
	open := connect(t, newServerOn(t, svc, ""))
	for _, c := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"~/sec.md","content":"S"}`, "files redact sec.md --agent default"},
		{"edit_file", `{"path":"~/sec.md","old_text":"x7Kq","new_text":"y7Kq"}`, "files redact sec.md --agent default"},
		{"write_file", `{"path":"sec.md","content":"S"}`, "files redact sec.md --agent shop"},
		{"write_file", `{"path":"sec.md","content":"S","agent_id":"other"}`, "files redact sec.md --agent other"},
		{"append_log", `{"path":"l","entry":"S","agent_id":"other"}`, "logs redact l 1 --agent other"},
		{"write_file", `{"path":"S","content":"x"}`, "files mv S NEW --agent shop"},
		{"write_file", `{"path":"d/S","content":"S"}`, "files redact d/S --agent shop; scratchpad files mv d/S NEW --agent shop"},
		{"append_log", `{"path":"S","entry":"x"}`, "logs rm S --agent shop"},
		{"append_log", `{"path":"d/S","entry":"S"}`, "logs rm d/S --agent shop"},
	} {
		s := bound
		if strings.Contains(c.args, "agent_id") {
			s = open
		}
		var got workspace.SecretsRecord
		answer := mustCall(t, s, c.tool, raw(strings.ReplaceAll(c.args, `S"`, secret+`"`)))[0]
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		if want := "scratchpad " + c.want; strings.ReplaceAll(got.Remove, secret, "S") != want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got.Remove, want)
		}
	}
}
