package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The writes of an agent on one connection are applied in the order of their lines, and a read
// sees the writes before it. The agent holds nothing at first.
func TestOrderOnStdio(t *testing.T) {
	t.Parallel()
	const n = 20
	for name, svc := range map[string]*workspace.Service{"a database": newDurable(t, workspace.Options{}), "memory": newService(t, workspace.Options{})} {
		w := newWire(t, newServerWith(t, mcpserver.Options{Bound: true, Tools: mcpserver.AllTools, Workspace: workspaces(svc, "a")}))
		var lines strings.Builder
		for i := range n {
			id := func(k int) string { return fmt.Sprint(10*i + k) }
			lines.WriteString(request(id(0), "append_log", fmt.Sprintf(`{"path":"g","entry":"%d"}`, i)))
			lines.WriteString(request(id(1), "write_file", fmt.Sprintf(`{"path":"f%d","content":"x"}`, i)))
			lines.WriteString(request(id(2), "edit_file", fmt.Sprintf(`{"path":"f%d","old_text":"x","new_text":"y"}`, i)))
			lines.WriteString(request(id(3), "memory", fmt.Sprintf(`{"command":"str_replace","path":"/memories/f%d","old_str":"y","new_str":"z"}`, i)))
			lines.WriteString(request(id(4), "move_file", fmt.Sprintf(`{"path":"f%d","new_path":"h%d"}`, i, i)))
			lines.WriteString(request(id(5), "read_file", fmt.Sprintf(`{"path":"h%d"}`, i)))
			lines.WriteString(method(id(6), "resources/read", fmt.Sprintf(`"uri":"scratchpad://a/h%d"`, i), ""))
			lines.WriteString(request(id(7), "delete_file", fmt.Sprintf(`{"path":"f%d"}`, i)))
			if i%10 == 9 {
				lines.WriteString(request(id(8), "delete_log", `{"path":"g"}`))
			}
		}
		go w.send(lines.String())
		for range 8*n + n/10 {
			a := w.must()
			var id, turn int
			fmt.Sscan(string(a.ID), &id)
			want := map[int]string{0: fmt.Sprintf(`\"entry_id\":%d,`, id/10+1), 5: `"text":"z"`, 6: `"text":"z"`, 7: `\"deleted\":false`}
			if turn = id % 10; a.Error != nil || strings.Contains(a.raw, `"isError":true`) || !strings.Contains(a.raw, want[turn]) {
				t.Errorf("%s: line %d of round %d is answered with %s, want %s", name, turn, id/10, a.raw, want[turn])
			}
		}
	}
}

// An agent need not wait for another, a call that waits can be cancelled, and the next goes on.
func TestWaitForTurn(t *testing.T) {
	t.Parallel()
	svc := newService(t, workspace.Options{})
	held, release := make(chan struct{}), make(chan struct{})
	first := true
	w := newWire(t, newServerWith(t, mcpserver.Options{Workspace: workspaces(svc, ""), AroundWork: func(ctx context.Context, c mcpserver.Call) (context.Context, func(error)) {
		if c.AgentID == "a" && first {
			first = false
			close(held)
			<-release
		}
		return ctx, func(error) {}
	}}))
	w.send(request("1", "append_log", `{"agent_id":"a","path":"g","entry":"1"}`))
	<-held
	w.send(request("2", "append_log", `{"agent_id":"a","path":"g","entry":"2"}`) + request("3", "append_log", `{"agent_id":"a","path":"g","entry":"3"}`) + request("4", "read_log", `{"agent_id":"a","path":"g"}`))
	w.send(request("5", "append_log", `{"agent_id":"b","path":"g","entry":"1"}`))
	if a := w.must(); string(a.ID) != "5" || strings.Contains(a.raw, "isError") {
		t.Errorf("another agent waits: %s", a.raw)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
	if a := w.must(); string(a.ID) != "2" || !strings.Contains(a.raw, "the call was cancelled") {
		t.Errorf("a call that waits and is cancelled: %s", a.raw)
	}
	close(release)
	answers := map[string]string{}
	for range 3 {
		a := w.must()
		answers[string(a.ID)] = a.raw
	}
	if !strings.Contains(answers["1"], `\"entry_id\":1,`) || !strings.Contains(answers["3"], `\"entry_id\":2,`) || !strings.Contains(answers["4"], `\"count\":2,`) {
		t.Errorf("the others are answered with %v", answers)
	}
}
