//lint:file-ignore SA1019 the suite tests what is deprecated too

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 the suite asks for what the later revision deprecates

// inputFixtures adds the tools that ask the client for something before they answer. Since
// 2026-07-28 the questions are in a result, and the client calls again with its answers.
func inputFixtures(s *mcp.Server) {
	for name, f := range map[string]inputFixture{
		"test_input_required_result_elicitation":     {asks: mcp.InputRequestMap{"user_name": question("name")}},
		"test_input_required_result_sampling":        {asks: mcp.InputRequestMap{"capital_question": completion("What is the capital of France?")}},
		"test_input_required_result_list_roots":      {asks: mcp.InputRequestMap{"client_roots": roots}},
		"test_input_required_result_request_state":   {asks: mcp.InputRequestMap{"confirm": question("ok")}, state: "state"},
		"test_input_required_result_tampered_state":  {asks: mcp.InputRequestMap{"confirm": question("ok")}, state: "state"},
		"test_input_required_result_multiple_inputs": {asks: mcp.InputRequestMap{"user_name": question("name"), "greeting": completion("Greet them."), "client_roots": roots}, state: "several"},
		"test_input_required_result_capabilities":    {asks: mcp.InputRequestMap{"user_name": question("name"), "greeting": completion("Greet them."), "client_roots": roots}, ifAble: true},
	} {
		fixture(s, name, f.run)
	}
	fixture(s, "test_input_required_result_multi_round", rounds)
}

var roots = &mcp.ListRootsParams{}

func question(field string) *mcp.ElicitParams {
	kind := map[string]string{"ok": "boolean"}[field]
	if kind == "" {
		kind = "string"
	}
	return &mcp.ElicitParams{Message: "What is your " + field + "?",
		RequestedSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%[1]q]}`, field, kind))}
}

func completion(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(prompt)}}}
}

// accepted returns what the user has answered, or nil if nothing.
func accepted(all mcp.InputResponseMap, name string) map[string]any {
	if r, ok := all[name].(*mcp.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}
	return nil
}

// An inputFixture asks everything at once.
type inputFixture struct {
	asks   mcp.InputRequestMap
	state  string // comes back with the answers; "": none
	ifAble bool   // asks only what the client says it can answer
}

func (f inputFixture) run(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if s := req.Params.RequestState; s != "" && s != f.state {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not what was sent"}
	}
	var answers []string
	for name := range f.asks {
		if a := answerTo(req.Params.InputResponses, name); a != "" {
			answers = append(answers, a)
		}
	}
	if len(answers) == len(f.asks) || f.ifAble && len(answers) > 0 {
		return say("state-ok: %s", strings.Join(answers, ", ")), nil
	}
	asks := mcp.InputRequestMap{}
	for name, ask := range f.asks {
		if !f.ifAble || isAble(req.ClientCapabilities(), ask) {
			asks[name] = ask
		}
	}
	if len(asks) == 0 {
		return say("the client can answer nothing"), nil
	}
	return &mcp.CallToolResult{InputRequests: asks, RequestState: f.state}, nil
}

// answerTo returns an answer as text, or "" if there is none that can be used.
func answerTo(all mcp.InputResponseMap, name string) string {
	switch a := all[name].(type) {
	case *mcp.ElicitResult:
		for _, value := range accepted(all, name) {
			return fmt.Sprint(value)
		}
	case *mcp.CreateMessageWithToolsResult:
		if len(a.Content) > 0 {
			return a.Content[0].(*mcp.TextContent).Text
		}
	case *mcp.ListRootsResult:
		return fmt.Sprint(len(a.Roots), " roots")
	}
	return ""
}

func isAble(c *mcp.ClientCapabilities, ask mcp.InputRequest) bool {
	if c == nil {
		return false
	}
	switch ask.(type) {
	case *mcp.ElicitParams:
		return c.Elicitation != nil
	case *mcp.CreateMessageParams:
		return c.Sampling != nil
	}
	return c.RootsV2 != nil
}

// rounds asks twice. What it has learned in the first round is in the state.
func rounds(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, second := strings.CutPrefix(req.Params.RequestState, "second ")
	if second {
		return say("%s likes %s", name, answerTo(req.Params.InputResponses, "step2")), nil
	}
	if name := answerTo(req.Params.InputResponses, "step1"); name != "" {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step2": question("color")}, RequestState: "second " + name}, nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step1": question("name")}, RequestState: "first"}, nil
}
