package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// hints are the four hints of a tool: read-only, destructive, idempotent, open world.
type hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

var (
	reads   = hints{ReadOnly: true, Idempotent: true}
	writes  = hints{}
	deletes = hints{Destructive: true}
)

// storageTools are the tools of a server with a Summarizer. A new tool is added here. No other
// test of this package counts them.
var storageTools = map[string]hints{
	"append_log": writes, "changes": reads, "delete_file": {Destructive: true, Idempotent: true}, "delete_log": deletes,
	"edit_file": writes, "get_usage_stats": reads, "list_files": reads, "list_logs": reads, "move_file": writes,
	"read_file": reads, "read_log": reads, "search": reads, "summarize_file": reads, "write_file": writes,
}

// Every tool sets all four hints, because clients take a missing one for true.
func TestAnnotations(t *testing.T) {
	testkit.SkipInShort(t)
	got := map[string]hints{}
	for _, tool := range listTools(t, connect(t, newServer(t, ""))) {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s leaves hints to be guessed: %+v", tool.Name, a)
			continue
		}
		got[tool.Name] = hints{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint}
		if tool.OutputSchema != nil {
			t.Errorf("%s has an output schema, which costs tokens and hides the text", tool.Name)
		}
	}
	if diff := cmp.Diff(storageTools, got); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
}

// Clients show the tools of deploy/mcpb/manifest.json before the bundle is installed.
func TestManifest(t *testing.T) {
	testkit.SkipInShort(t)
	type tool struct{ Name, Description string }
	var manifest struct{ Tools []tool }
	testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, "../deploy/mcpb/manifest.json")), &manifest))
	var want []tool
	for _, one := range listTools(t, connect(t, newServer(t, ""))) {
		want = append(want, tool{one.Name, one.Description})
	}
	if diff := cmp.Diff(want, manifest.Tools); diff != "" {
		t.Errorf("the manifest has other tools than the server (-server +manifest):\n%s", diff)
	}
}

func listTools(t testing.TB, s *mcp.ClientSession) []*mcp.Tool {
	t.Helper()
	list := must(s.ListTools(t.Context(), nil))(t)
	return list.Tools
}

// The list of tools is one page, with the same bytes on every connection and with every
// protocol.
func TestToolsAreStable(t *testing.T) {
	testkit.SkipInShort(t)
	first := newWire(t, newServer(t, "a"))
	first.send(method("1", "tools/list", "", ""))
	want := first.must().raw
	again := newWire(t, newServer(t, "a"))
	again.send(method("1", "tools/list", "", ""))
	if got := again.must().raw; got != want {
		t.Fatalf("tools/list = %s, on another connection %s", got, want)
	}
	modernList, legacyList := listTools(t, connect(t, newServer(t, "a"))), listTools(t, connectAs(t, newServer(t, "a"), legacy, &mcp.Implementation{Name: "old"}))
	if diff := cmp.Diff(modernList, legacyList); diff != "" {
		t.Errorf("tools of the eras differ:\n%s", diff)
	}
	names := make([]string, len(modernList))
	for i, tool := range modernList {
		names[i] = tool.Name
	}
	if !slices.IsSorted(names) || len(names) != len(storageTools) || strings.Contains(want, "nextCursor") {
		t.Errorf("the tools are %q, want all in the order of their names and one page", names)
	}
}

// On a bound server the tools have no agent_id. On any other it is first, and required. A host has
// file tools of its own, so the descriptions tell ours apart from them.
func TestSchemas(t *testing.T) {
	for bound, want := range map[string]bool{"": true, "a": false} {
		for _, tool := range listTools(t, connect(t, newServer(t, bound))) {
			schema := tool.InputSchema.(map[string]any)
			properties := schema["properties"].(map[string]any)
			_, has := properties["agent_id"]
			required, _ := schema["required"].([]any)
			if has != want || want && (len(required) == 0 || required[0] != "agent_id") || !want && slices.Contains(required, any("agent_id")) {
				t.Errorf("bound %q: %s has agent_id %v, required %v", bound, tool.Name, has, required)
			}
			if !strings.Contains(tool.Description, "our memory") {
				t.Errorf("%s says %q, want it to say that this is memory", tool.Name, tool.Description)
			}
			for _, name := range []string{"prefix", "limit", "tail", "after", "since_entry", "through_entry", "version", "old_text", "all"} {
				if p, ok := properties[name].(map[string]any); ok && p["description"] == nil && !strings.Contains(tool.Description, name) {
					t.Errorf("%s says nothing of %s", tool.Name, name)
				}
			}
		}
	}
}

// The instructions are short, say first when to write and where, and teach how to use the
// tools cheaply. With a brief they stay under 1,800 characters, whatever it says.
func TestInstructions(t *testing.T) {
	svc := newService(t, workspace.Options{})
	habits := []string{"since_version", "edit_file", "last_entry_id", "version", "changes", "cursor", "since", "summarize_file", "search", "delete_log"}
	for _, tools := range []mcpserver.Tools{mcpserver.StorageTools, mcpserver.MemoryTool, mcpserver.AllTools} {
		for brief, bound := range map[string]bool{"": false, strings.Repeat("é", mcpserver.MaxBrief): true, strings.Repeat("ü\n", 2000): true, strings.Repeat("ü", 2000): true} {
			o := mcpserver.Options{Bound: bound, Workspace: workspaces(svc, "a"), Tools: tools, Brief: func(context.Context) string { return brief }}
			if bound {
				o.Home = func(context.Context, mcpserver.Call) (*workspace.Workspace, error) { return svc.Agent("home") }
			}
			text := instructionsOf(t, newServerWith(t, o), modern)
			if n := utf8.RuneCountInString(text); n == 0 || n > 1800 || len(brief) <= 2*mcpserver.MaxBrief && !strings.HasSuffix(text, brief) {
				t.Errorf("tools %d: the instructions have %d characters, want some up to 1,800:\n%s", tools, n, text)
			}
			at := -1
			for _, part := range []string{"at a decision", "took work", "before a long step", "states a preference", "at the end", "START.md has what you must know at the start"} {
				if i := strings.Index(text, part); i <= at {
					t.Errorf("tools %d: the instructions do not say %q in its place: %s", tools, part, text)
				} else {
					at = i
				}
			}
			if tools == mcpserver.MemoryTool {
				continue
			}
			for _, habit := range habits {
				if i := strings.Index(text[at:], habit); i < 0 {
					t.Errorf("the instructions say nothing of %s, or before when to write", habit)
				}
			}
			if strings.Contains(text, "agent_id") == bound || strings.Contains(text, "\n- ~/ has what is true in every project") != bound {
				t.Errorf("bound %v: %s", bound, text)
			}
		}
	}
}

func instructionsOf(t *testing.T, s *mcpserver.Server, protocol string) string {
	t.Helper()
	return connectAs(t, s, protocol, &mcp.Implementation{Name: "test", Version: "1"}).InitializeResult().Instructions
}

// A brief that fails or takes long keeps no client from connecting.
func TestBriefInTrouble(t *testing.T) {
	svc := newService(t, workspace.Options{})
	for name, brief := range map[string]func(context.Context) string{
		"panics": func(context.Context) string { panic("no brief") },
		"hangs":  func(ctx context.Context) string { <-ctx.Done(); return "too late" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Brief: brief})
			if text := instructionsOf(t, s, legacy); !strings.HasSuffix(text, "what to do next.") {
				t.Errorf("the instructions end with %q, want no brief", text[len(text)-60:])
			}
		})
	}
}

// A server without a memory has no tools and no resources, and says why.
func TestOff(t *testing.T) {
	s := newServerWith(t, mcpserver.Options{Bound: true, Off: "It is off.", Tools: mcpserver.AllTools, Workspace: workspaces(nil, "a")})
	for _, protocol := range []string{legacy, modern} {
		c := connectAs(t, s, protocol, &mcp.Implementation{Name: "test", Version: "1"})
		tools, err := c.ListTools(t.Context(), nil)
		templates, err2 := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || err2 != nil || len(tools.Tools) != 0 || len(templates.ResourceTemplates) != 0 {
			t.Errorf("%s: %v, %v, %v, %v", protocol, tools, templates, err, err2)
		}
		if text := c.InitializeResult().Instructions; text != "It is off." {
			t.Errorf("%s: the instructions are %q", protocol, text)
		}
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_files"}); err == nil && !r.IsError {
			t.Errorf("%s: a tool answers %v", protocol, r)
		}
	}
}

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
