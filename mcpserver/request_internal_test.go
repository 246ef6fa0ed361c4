package mcpserver

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A message runs with its own request, or not at all: not with that of a session, and not when
// its request has ended. Its token is the one that the program has put there.
func TestRequestBehind(t *testing.T) {
	mine := &auth.TokenInfo{UserID: "me"}
	own, drop := newToken(&request{values: withToken(t.Context(), mine)})
	other, end := newToken(&request{values: t.Context()})
	defer end()
	behind := func(t *auth.TokenInfo) (*mcp.RequestExtra, *request, error) {
		extra := &mcp.RequestExtra{TokenInfo: t}
		r, err := requestBehind(&mcp.CallToolRequest{Extra: extra})
		return extra, r, err
	}
	for name, token := range map[string]*auth.TokenInfo{"no token": nil, "a token of the program": mine, "a forged token": {Extra: map[string]any{"user": "me"}}} {
		if _, _, err := behind(token); err == nil {
			t.Errorf("a message with %s has a request", name)
		}
	}
	if _, err := requestBehind(&mcp.CallToolRequest{}); err == nil {
		t.Error("a message of nowhere has a request")
	}
	extra, r, err := behind(own)
	if err != nil || extra.TokenInfo != mine {
		t.Fatalf("the token is %v, %v, want the program's", extra.TokenInfo, err)
	}
	session := withToken(t.Context(), other)
	if got := auth.TokenInfoFromContext(callContext{session, r}); got != mine {
		t.Errorf("in a session of another, the token of a call is %v", got)
	}
	if got := auth.TokenInfoFromContext(callContext{session, &request{values: t.Context()}}); got != nil {
		t.Errorf("in a session of another, a call without a token has %v", got)
	}
	drop()
	if _, _, err := behind(own); err == nil {
		t.Error("a message has a request that has ended")
	}
}

// A tool whose answer or whose error shows what is stored needs the right to read, even if it
// writes. A tool that does not say what it needs is not added, so no server starts with it.
func TestToolsSayWhatTheyNeed(t *testing.T) {
	for _, tool := range tools(Options{Tools: AllTools, Summarizer: &workspace.Summarizer{}}) {
		want := reads
		switch tool.name {
		case "write_file", "append_log", "delete_file", "delete_log":
			want = writes
		case "edit_file", "move_file", "memory":
			want = reads | writes
		}
		if tool.scope != want {
			t.Errorf("%s has the scope %b, want %b", tool.name, tool.scope, want)
		}
	}
	s := &Server{tools: map[string]tool{}}
	for _, tool := range []tool{{name: "new", weight: light}, {name: "new", scope: reads}} {
		if err := s.add(mcp.NewServer(&mcp.Implementation{}, nil), tool, true); err == nil || len(s.tools) > 0 {
			t.Errorf("%+v is added", tool)
		}
	}
}
