package mcpserver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestTools(t *testing.T) {
	for _, c := range []struct {
		tools            mcpserver.Tools
		count            int
		memory, longText bool
	}{
		{mcpserver.StorageTools, len(storageTools), false, true},
		{mcpserver.MemoryTool, 1, true, false},
		{mcpserver.AllTools, len(storageTools) + 1, true, true},
	} {
		svc := newService(t, workspace.Options{})
		session := connect(t, newServerWith(t, mcpserver.Options{Workspace: workspaces(svc, ""), Tools: c.tools}))
		list := must(session.ListTools(t.Context(), nil))(t)
		var memory *mcp.Tool
		for _, tool := range list.Tools {
			if tool.Name == "memory" {
				memory = tool
			}
		}
		if len(list.Tools) != c.count || (memory != nil) != c.memory {
			t.Errorf("tools %d: %d of them, memory %v", c.tools, len(list.Tools), memory)
		}
		if memory != nil && (memory.Annotations.ReadOnlyHint || !*memory.Annotations.DestructiveHint || memory.Annotations.IdempotentHint || *memory.Annotations.OpenWorldHint) {
			t.Errorf("annotations %+v", memory.Annotations)
		}
		told := session.InitializeResult().Instructions
		if strings.Contains(told, "/memories") != c.memory || strings.Contains(told, "edit_file") != c.longText || !strings.Contains(told, "agent_id") {
			t.Errorf("tools %d: instructions %q", c.tools, told)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory", Arguments: m{"agent_id": "a", "command": "view", "path": "/memories"}})
		if c.memory != (err == nil && !res.IsError) {
			t.Errorf("tools %d: %+v, %v", c.tools, res, err)
		}
	}
	if _, err := mcpserver.New(mcpserver.Options{Workspace: workspaces(nil, ""), Tools: 3}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Tools 3: %v", err)
	}
}

// The tool and its instructions cost a conversation less than the storage tools.
func TestMemoryToolTokens(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{})
	for bound, most := range map[string]int{"": 290, "a": 270} {
		session := connect(t, newServerWith(t, mcpserver.Options{Bound: bound != "", Workspace: workspaces(svc, bound), Tools: mcpserver.MemoryTool}))
		list := must(session.ListTools(t.Context(), nil))(t)
		shown, err := json.Marshal(struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			InputSchema any    `json:"inputSchema"`
		}{list.Tools[0].Name, list.Tools[0].Description, list.Tools[0].InputSchema})
		testkit.Must(t, err)
		if n := o200k.Count(string(shown)); n > most {
			t.Errorf("bound %q: the tool costs %d tokens, at most %d are allowed: %s", bound, n, most, shown)
		} else {
			t.Logf("bound %q: the tool costs %d tokens, the instructions %d", bound, n, o200k.Count(session.InitializeResult().Instructions))
		}
	}
}

// A key with which a call can be repeated is refused, because the commands keep none.
func TestMemoryToolKey(t *testing.T) {
	svc := newService(t, workspace.Options{})
	session := connect(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Tools: mcpserver.MemoryTool}))
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Meta: mcp.Meta{"scratchpad/idempotency_key": "k"}, Name: "memory",
		Arguments: m{"command": "create", "path": "/memories/f", "file_text": ""},
	})
	if err != nil || !res.IsError || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "takes no idempotency key") {
		t.Errorf("%+v, %v", res, err)
	}
}

// Over HTTP a large file goes through, in both directions, and a budget of the least memory
// is enough.
func TestMemoryToolOverHTTP(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Tools: mcpserver.MemoryTool, Memory: 1 << 20})
	session := connectHTTP(t, serveHTTP(t, server), modern)
	text := strings.Repeat("a line of text\n", 60_000)
	mustCall(t, session, "memory", m{"command": "create", "path": "/memories/large", "file_text": text})
	mustCall(t, session, "memory", m{"command": "insert", "path": "/memories/large", "insert_line": 0, "insert_text": "first"})
	if got := mustCall(t, session, "memory", m{"command": "view", "path": "/memories/large"}); !strings.Contains(got[0], "     1\tfirst\n") || len(got[0]) > 16_100 {
		t.Errorf("view: %d bytes", len(got[0]))
	}
	r, err := agentOf(t, svc, "a").ReadFile(t.Context(), "large", workspace.ReadOptions{})
	if err != nil || string(r.Content) != "first\n"+text {
		t.Errorf("%d bytes, %v", r.Bytes, err)
	}
}
