package openaimsg_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The API refuses reasoning without the item that it led to.
func TestReasoningAtTheEndIsLeftOut(t *testing.T) {
	t.Parallel()
	const reasoning, said = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`, `{"type":"message","role":"assistant","content":"yes"}`
	for _, c := range []struct{ in, want []string }{
		{[]string{said, reasoning}, []string{said}},
		{[]string{reasoning, said, reasoning, reasoning}, []string{reasoning, said}},
		{[]string{reasoning, said}, []string{reasoning, said}},
	} {
		m, err := openaimsg.FromOutput(output(t, c.in...)...)
		testkit.Must(t, err)
		msgs := []conversation.Message{conversation.UserText("q"), m, conversation.UserText("go on")}
		if problems := conversation.Check(msgs, conversation.OpenAIResponses); problems != nil {
			t.Errorf("of %q: %v", c.in, problems)
		}
		if got := toItems(t, m); !reflect.DeepEqual(got, c.want) {
			t.Errorf("of %q is sent %q, want %q", c.in, got, c.want)
		}
	}
	for _, in := range [][]string{{reasoning}, {reasoning, reasoning}} {
		if m, err := openaimsg.FromOutput(output(t, in...)...); !errors.Is(err, openaimsg.ErrNoContent) {
			t.Errorf("of %q: %+v, %v, want ErrNoContent", in, m, err)
		}
	}
}

// What is not text is named for other providers, wherever it stands, and so is a failure.
func TestItemsAreDescribed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 100)
	for raw, want := range map[string]string{
		`{"type":"code_interpreter_call","code":"plot()","outputs":[{"type":"image","url":"data:image/png;base64,AAAABBBB"},{"type":"logs","logs":"ok"}]}`:       "[code_interpreter_call]\nplot()\n[image]\nok",
		`{"type":"function_call_output","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_file","file_data":"AAAA"}]}`:    "[image]\n[file]",
		`{"type":"code_interpreter_call","code":"show('data:image/png;base64,AAAA')","outputs":[{"type":"logs","logs":"saw data:audio/wav;base64,AAAA twice"}]}`: "[code_interpreter_call]\nshow('[image]')\nsaw [audio] twice",
		`{"type":"mcp_call","name":"f","arguments":"{\"a\":\"data:image/png;base64,AAAA\"}","output":"[{\"data\":\"` + long + `==\"}]"}`:                         "[mcp_call]\nf\n{\"a\":\"[image]\"}\n[{\"data\":\"[data]\"}]",
		`{"type":"hologram","url":"data:application/pdf;base64,AAAA","results":["data:audio/wav;base64,AAAA"]}`:                                                  "[hologram]\n[file]\n[audio]",
		`{"type":"image_generation_call","result":"` + long + `","revised_prompt":"a cat"}`:                                                                      "[image_generation_call]\na cat",
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"data: see base64"}]}`:                                                     "data: see base64",
		`{"role":"user","content":[{"type":"input_image","image_url":"Data:image/PNG;name=a;Base64,AAAA"}]}`:                                                     "[image]",
		`{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}]}`:                                    "[file: a.pdf]",

		// A failure that is only in a member of its own must not read as success.
		`{"type":"mcp_call","server_label":"s","name":"del","arguments":"{}","error":{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"disk full"}]}}`: "[mcp_call]\ns\ndel\n{}\n[error]\ndisk full",
		`{"type":"mcp_call","server_label":"s","name":"del","arguments":"{}","error":{"type":"http_error","code":404,"message":"Not found"}}`:                             "[mcp_call]\ns\ndel\n{}\n[error]\nNot found",
		`{"type":"mcp_call","name":"del","error":"gone","status":"failed"}`:                                                                                               "[mcp_call]\ndel\n[error]\ngone",
		`{"type":"code_interpreter_call","code":"f()","status":"incomplete"}`:                                                                                             "[code_interpreter_call]\nf()\n[incomplete]",
		`{"type":"web_search_call","action":{"type":"search","query":"q"},"status":"failed"}`:                                                                             "[web_search_call]\nq\n[failed]",
		`{"type":"image_generation_call","revised_prompt":"a cat","status":"failed","result":null}`:                                                                       "[image_generation_call]\na cat\n[failed]",
	} {
		m := fromItems(t, raw)[0]
		var lines []string
		for _, p := range m.Parts {
			if lines = append(lines, p.Text); p.Type != conversation.TextPart {
				lines[len(lines)-1] = "[image]"
			}
		}
		if m.Content != "" {
			lines = []string{m.Content}
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s\nis described as %q\nwant %q", raw, got, want)
		}
		if text := conversation.Transcript([]conversation.Message{m}); strings.Contains(text, "AAAA") || strings.Contains(text, "QUJDQUJD") {
			t.Errorf("the summariser is given data: %s", text)
		}
	}
}

// Whoever answers the call sees its checks, and acknowledges them. The adapter never does.
func TestSafetyChecksAreNotAcknowledgedByThemselves(t *testing.T) {
	t.Parallel()
	call := fromItems(t, `{"id":"cu_1","type":"computer_call","call_id":"call_1","status":"completed","action":{"type":"screenshot"},"pending_safety_checks":[{"id":"sc_1","code":"malicious","message":"Look."}]}`)[0]
	if got := string(call.ToolCalls[0].Arguments); !strings.Contains(got, `"pending_safety_checks":[{"id":"sc_1","code":"malicious","message":"Look."}]`) {
		t.Errorf("the arguments are %s, want the checks in them", got)
	}
	shot := conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", Parts: []conversation.Part{{Type: conversation.ImagePart, URL: "https://x.test/a.png"}}}
	_, err := openaimsg.ToItems([]conversation.Message{call, shot})
	if !errors.Is(err, conversation.ErrInvalid) || !strings.Contains(err.Error(), "acknowledged_safety_checks") {
		t.Errorf("the error is %v, want one that says how to acknowledge", err)
	}
	answer := fromItems(t, `{"type":"computer_call_output","call_id":"call_1","output":{"type":"computer_screenshot","image_url":"https://x.test/a.png"},"acknowledged_safety_checks":[{"id":"sc_1"}]}`)[0]
	if got := toItems(t, call, answer); len(got) != 2 || !strings.Contains(got[1], `"acknowledged_safety_checks":[{"id":"sc_1"}]`) {
		t.Errorf("sent %q", got)
	}
}

// The SDK says which results may name the caller of their call.
func TestResultsKeepTheCaller(t *testing.T) {
	t.Parallel()
	const caller = `{"type":"program","caller_id":"p_1"}`
	results := map[string]string{}
	for f := range reflect.TypeFor[responses.ResponseInputItemUnionParam]().Fields() {
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		member, is := f.Type.Elem().FieldByName("Type")
		kind := member.Tag.Get("default")
		if _, has := f.Type.Elem().FieldByName("Caller"); is && has && strings.HasSuffix(kind, "_output") {
			results[strings.TrimSuffix(kind, "_output")] = kind
		}
	}
	if len(results) < 4 {
		t.Fatalf("the results with a caller are %v, want four or more", results)
	}
	for call, result := range results {
		raw := `{"type":"` + call + `","call_id":"call_1","name":"f","arguments":"{}","input":"","operation":{},"action":{"commands":["ls"],"max_output_length":4096},"caller":` + caller + `}`
		sent := toItems(t, fromItems(t, raw)[0], conversation.ToolResult("call_1", "ok"))
		var got struct {
			Type   string
			Caller json.RawMessage
			Most   *int `json:"max_output_length"`
		}
		testkit.Must(t, json.Unmarshal([]byte(sent[1]), &got))
		if got.Type != result || string(got.Caller) != caller {
			t.Errorf("the result of %s is %s, want the caller in it", call, sent[1])
		}
		if (got.Most != nil && *got.Most == 4096) != (call == "shell_call") {
			t.Errorf("the result of %s is %s: only that of a shell has the length", call, sent[1])
		}
		if sent := toItems(t, fromItems(t, strings.Replace(raw, caller, "null", 1))[0], conversation.ToolResult("call_1", "ok")); strings.Contains(sent[1], "caller") {
			t.Errorf("the result of a call without a caller is %s", sent[1])
		}
	}
}

// The items of an answer that has the results of its own calls are described.
func TestResultsInAnAnswerAreDescribed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"boom","outcome":{"type":"exit","exit_code":3}},{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]}`: "[shell_call_output]\na\nboom\n[exit code 3]\n[timeout]",
		`{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`:                                                            "[function_call_output]\n[image]",
		`{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"https://x.test/a.png"},{"type":"input_text","text":"b"}]}`:                                 "[function_call_output]\nhttps://x.test/a.png\nb",
	} {
		m, err := openaimsg.FromOutput(output(t, raw)...)
		if err != nil || m.Content != want {
			t.Errorf("%s\nis described as %q, %v\nwant %q", raw, m.Content, err, want)
		}
	}
}
