//lint:file-ignore SA1019 the suite tests what is deprecated too

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 the suite asks for what the later revision deprecates

// fixtures adds what the scenarios of the conformance suite ask of a server: tools, prompts
// and resources that do nothing but answer as the suite expects.
func fixtures(s *mcp.Server) {
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":            {text("This is a simple text response for testing.")},
		"test_image_content":          {image},
		"test_audio_content":          {&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}},
		"test_embedded_resource":      {embedded("test://embedded-resource")},
		"test_multiple_content_types": {text("text"), image, embedded("test://mixed-content-resource")},
		"test_streaming_elicitation":  {text("only this answer is in the stream")},
	} {
		fixture(s, name, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	for name, run := range map[string]mcp.ToolHandler{
		"test_error_handling": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text("This tool intentionally returns an error for testing")}}, nil
		},
		"test_tool_with_logging":  logs("Tool execution started", "Tool processing data", "Tool execution completed"),
		"test_logging_tool":       logs("test_logging_tool executed"),
		"test_tool_with_progress": tellProgress,
		"test_sampling":           sample,
		"test_elicitation":        elicit(`{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}`),
		"test_elicitation_sep1034_defaults": elicit(`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
			"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`),
		"test_elicitation_sep1330_enums": elicit(`{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`),
		"test_missing_capability":    needSampling,
		"test_trigger_tool_change":   changeTools(s),
		"test_trigger_prompt_change": changePrompts(s),
	} {
		fixture(s, name, run)
	}
	inputFixtures(s)
	resourceFixtures(s)
	promptFixtures(s)
	for name, schema := range map[string]string{
		"test_x_mcp_header": `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",
			"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
			"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
			"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
			"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
	} {
		s.AddTool(&mcp.Tool{Name: name, Description: fixtureFor, InputSchema: json.RawMessage(schema)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return say("called with %s", req.Params.Arguments), nil
		})
	}
}

const fixtureFor = "for the conformance suite"

func fixture(s *mcp.Server, name string, run mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, Description: fixtureFor, InputSchema: json.RawMessage(`{"type":"object"}`)}, run)
}

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func say(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{text(fmt.Sprintf(format, args...))}}
}

func embedded(uri string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource"}}
}

var (
	pixel   = fromBase64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = fromBase64("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
	image   = &mcp.ImageContent{Data: pixel, MIMEType: "image/png"}
)

func fromBase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func logs(messages ...string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, m := range messages {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: m}); err != nil {
				return nil, err
			}
		}
		return say("logged"), nil
	}
}

func tellProgress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: done, Total: 100})
		if err != nil {
			return nil, err
		}
	}
	return say("done"), nil
}

// sample asks the client's model, over the stream of the call.
func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return nil, err
	}
	res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(args.Prompt)}}})
	if err != nil {
		return nil, err
	}
	return say("LLM response: %s", res.Content.(*mcp.TextContent).Text), nil
}

// elicit asks the user, over the stream of the call.
func elicit(schema string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Please answer", RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		return say("action=%s, content=%v", res.Action, res.Content), nil
	}
}

func needSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return say("the client has sampling"), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	return nil, errors.Join(err, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client has no sampling", Data: data})
}

func changeTools(s *mcp.Server) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fixture(s, "test_added_later", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say("added"), nil })
		return say("changed"), nil
	}
}

func changePrompts(s *mcp.Server) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(&mcp.Prompt{Name: "test_added_later", Description: fixtureFor}, prompt(text("added")))
		return say("changed"), nil
	}
}

func resourceFixtures(s *mcp.Server) {
	serve := func(c mcp.ResourceContents) mcp.ResourceHandler {
		return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	for _, c := range []mcp.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: pixel},
		{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"},
	} {
		s.AddResource(&mcp.Resource{Name: strings.TrimPrefix(c.URI, "test://"), URI: c.URI, MIMEType: c.MIMEType}, serve(c))
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: fmt.Sprintf(`{"id":%q,"data":"Data for ID: %s"}`, id, id)}}}, nil
		})
}

func prompt(content ...mcp.Content) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		res := &mcp.GetPromptResult{}
		for _, c := range content {
			res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return res, nil
	}
}

func promptFixtures(s *mcp.Server) {
	arguments := func(names ...string) (list []*mcp.PromptArgument) {
		for _, n := range names {
			list = append(list, &mcp.PromptArgument{Name: n, Description: "for the suite", Required: true})
		}
		return list
	}
	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: fixtureFor}, prompt(text("This is a simple prompt for testing.")))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: fixtureFor}, prompt(image, text("Look at the image.")))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: fixtureFor, Arguments: arguments("arg1", "arg2")},
		func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			a := req.Params.Arguments
			return prompt(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))(ctx, req)
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: fixtureFor, Arguments: arguments("resourceUri")},
		func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(embedded(req.Params.Arguments["resourceUri"]), text("Read the resource."))(ctx, req)
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: fixtureFor},
		func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if given := accepted(req.Params.InputResponses, "user_context"); given != nil {
				return prompt(text(fmt.Sprint("Context: ", given["context"])))(ctx, req)
			}
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": question("context")}}, nil
		})
}
