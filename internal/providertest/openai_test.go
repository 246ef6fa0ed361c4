package providertest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

func chat(messages ...string) string {
	return fmt.Sprintf(`{"model":"gpt-5","messages":[%s]}`, strings.Join(messages, ","))
}

func calls(ids ...string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = chatFunction(id, "bash", `"{}"`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(all, ",") + `]}`
}

func chatFunction(id, name, arguments string) string {
	return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

func calling(call string) string { return `{"role":"assistant","tool_calls":[` + call + `]}` }

func tool(id string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"ok"}`, id)
}

var (
	ping     = role("user", `"ping"`)
	pong     = role("assistant", `"pong"`)
	imageURL = `[{"type":"image_url","image_url":{"url":"https://a/b.png"}}]`
)

const unanswered = "^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "

var chatRulings = []ruling{
	{"no JSON", `[`, "could not parse the JSON body", chat(ping)},
	{"model", `{"messages":[` + ping + `]}`, "^you must provide a model parameter", chat(ping)},
	{"messages", `{"model":"m"}`, "^Missing required parameter: 'messages'.", chat(ping)},
	{"no messages", chat(), "^Invalid 'messages': empty array. Expected an array with minimum length 1", chat(ping)},
	{"messages of another type", `{"model":"m","messages":"ping"}`, "^Invalid type for 'messages': expected an array of objects, but got a string instead.", chat(ping)},
	{"message of another type", chat(`"ping"`), "^Invalid type for 'messages[0]': expected an object, but got a string", chat(ping)},
	{"no role", chat(`{"content":"ping"}`), "^Missing required parameter: 'messages[0].role'.", chat(ping)},
	{"unknown role", chat(ping, role("model", `"x"`)), "^Invalid value: 'model'. Supported values are: 'system'", chat(ping, role("developer", `"x"`))},
	{"no content", chat(`{"role":"user"}`), "^Invalid value for 'content': expected a string, got null.", chat(role("user", `""`))},
	{"null content", chat(ping, role("assistant", "null")), "^Invalid value for 'content': expected a string, got null.", chat(ping, pong)},
	{"null refusal", chat(ping, `{"role":"assistant","refusal":null}`), "expected a string, got null", chat(ping, `{"role":"assistant","refusal":"no"}`)},
	{"null content of a result", chat(ping, calls("a"), `{"role":"tool","tool_call_id":"a","content":null}`), "expected a string, got null", chat(ping, calls("a"), tool("a"))},
	{"null content of a developer", chat(role("developer", "null")), "^Invalid type for 'messages[0].content': expected one of a string or array of objects, but got null", chat(role("developer", `"x"`))},
	{"no content of a developer", chat(`{"role":"developer"}`), "^Missing required parameter: 'messages[0].content'.", chat(role("developer", `[]`))},
	{"number as content", chat(role("user", "7")), "expected one of a string or array of objects, but got an integer instead.", chat(role("user", `"7"`))},
	{"unknown part", chat(role("user", `[{"type":"image"}]`)), "^Invalid value: 'image'. Supported values are: 'text', 'image_url'", chat(role("user", imageURL))},
	{"part without type", chat(role("user", `[{"text":"x"}]`)), "^Missing required parameter: 'messages[0].content[0].type'.", chat(role("user", `[{"type":"text","text":"x"}]`))},
	{"text without text", chat(role("user", `[{"type":"text"}]`)), "^Missing required parameter: 'messages[0].content[0].text'.", chat(role("user", `[{"type":"text","text":""}]`))},
	{"image in a result", chat(ping, calls("a"), `{"role":"tool","tool_call_id":"a","content":`+imageURL+`}`), "^Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool'",
		chat(ping, calls("a"), tool("a"), role("user", imageURL))},
	{"empty calls", chat(ping, `{"role":"assistant","content":"x","tool_calls":[]}`), "^Invalid 'messages[1].tool_calls': empty array.", chat(ping, `{"role":"assistant","content":"x"}`)},
	{"call without id", chat(ping, calling(`{"type":"function","function":{"name":"f","arguments":"{}"}}`)), "^Missing required parameter: 'messages[1].tool_calls[0].id'.", chat(ping, calls("a"), tool("a"))},
	{"empty id", chat(ping, calls(""), tool("")), "^Invalid 'messages[1].tool_calls[0].id': empty string.", chat(ping, calls("a"), tool("a"))},
	{"long id", chat(ping, calls(strings.Repeat("i", 41)), tool(strings.Repeat("i", 41))), "^Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41",
		chat(ping, calls(strings.Repeat("i", 40)), tool(strings.Repeat("i", 40)))},
	{"call without type", chat(ping, calling(`{"id":"a","function":{"name":"f","arguments":"{}"}}`)), "^Missing required parameter: 'messages[1].tool_calls[0].type'.", chat(ping, calls("a"), tool("a"))},
	{"name", chat(ping, calling(chatFunction("a", "my tool", `"{}"`)), tool("a")), "tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", chat(ping, calls("a"), tool("a"))},
	{"empty name", chat(ping, calling(chatFunction("a", "", `"{}"`)), tool("a")), "function.name': empty string", chat(ping, calls("a"), tool("a"))},
	{"long name", chat(ping, calling(chatFunction("a", strings.Repeat("n", 65), `"{}"`)), tool("a")), "maximum length 64", chat(ping, calling(chatFunction("a", strings.Repeat("n", 64), `"{}"`)), tool("a"))},
	{"calls of another type", chat(ping, `{"role":"assistant","content":"x","tool_calls":"x"}`), "^Invalid type for 'messages[1].tool_calls': expected an array of objects, but got a string", chat(ping, pong)},
	{"call of another type", chat(ping, calling(`{"id":"a","type":"shell"}`), tool("a")), "^Invalid value: 'shell'. Supported values are: 'function' and 'custom'.", chat(ping, calls("a"), tool("a"))},
	{"call without function", chat(ping, calling(`{"id":"a","type":"function"}`), tool("a")), "^Missing required parameter: 'messages[1].tool_calls[0].function'.", chat(ping, calls("a"), tool("a"))},
	{"call without name", chat(ping, calling(`{"id":"a","type":"function","function":{"arguments":"{}"}}`), tool("a")), "tool_calls[0].function.name'.", chat(ping, calls("a"), tool("a"))},
	{"call without arguments", chat(ping, calling(`{"id":"a","type":"function","function":{"name":"f"}}`), tool("a")), "tool_calls[0].function.arguments'.", chat(ping, calls("a"), tool("a"))},
	{"arguments as an object", chat(ping, calling(chatFunction("a", "f", `{}`)), tool("a")), "function.arguments': expected a string, but got an object instead.", chat(ping, calling(chatFunction("a", "f", `"{"`)), tool("a"))},

	{"call without result", chat(ping, calls("a", "b"), tool("a"), ping), unanswered + "b", chat(ping, calls("a", "b"), tool("a"), tool("b"), ping)},
	{"call at the end", chat(ping, calls("a", "b")), unanswered + "a, b", chat(ping, calls("a", "b"), tool("b"), tool("a"))},
	{"a message between", chat(ping, calls("a", "b"), tool("a"), ping, tool("b")), unanswered + "b", chat(ping, calls("a", "b"), tool("a"), tool("b"), ping)},
	{"result without call", chat(tool("a"), ping), "^Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", chat(ping)},
	{"result after an answer", chat(ping, calls("a"), tool("a"), pong, tool("a")), "^Invalid parameter: messages with role 'tool' must be a response", chat(ping, calls("a"), tool("a"), pong)},
	{"result of another call", chat(ping, calls("a"), tool("b")), "^Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.", chat(ping, calls("b"), tool("b"))},
	{"result without id", chat(ping, calls("a"), role("tool", `"ok"`)), "^Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", chat(ping, calls("a"), tool("a"))},
	{"two results", chat(ping, calls("a"), tool("a"), tool("a")), "Duplicate value for 'tool_call_id' of 'a' in message[3]", chat(ping, calls("a"), tool("a"))},
	{"the id twice", chat(ping, calls("a", "a"), tool("a")), "Duplicate value for 'tool_call_id' of 'a' in message[1]", chat(ping, calls("a", "b"), tool("a"), tool("b"))},
}

func TestOpenAIChatRefuses(t *testing.T) {
	for _, c := range chatRulings {
		t.Run(c.name, func(t *testing.T) { c.check(t, providertest.ValidateOpenAIChat) })
	}
}

func TestOpenAIChatAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"system anywhere":     chat(role("system", `"s"`), ping, pong, role("system", `"t"`), ping),
		"first the assistant": chat(pong, ping),
		"last the assistant":  chat(ping, pong),
		"roles in a row":      chat(ping, ping, pong, pong),
		"id used again later": chat(ping, calls("a"), tool("a"), calls("a"), tool("a")),
		"custom call":         chat(ping, calling(`{"id":"a","type":"custom","custom":{"name":"f","input":"x"}}`), tool("a")),
		"text beside calls":   chat(ping, strings.Replace(calls("a"), "null", `"x"`, 1), tool("a"), pong),
	} {
		if err := providertest.ValidateOpenAIChat([]byte(body)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
}

func responses(items ...string) string { return responsesWith("", items...) }

func responsesWith(fields string, items ...string) string {
	return fmt.Sprintf(`{"model":"gpt-5"%s,"input":[%s]}`, fields, strings.Join(items, ","))
}

func call(kind, id, callID string) string {
	rest := `"name":"bash","arguments":"{}"`
	if kind == "custom_tool_call" {
		rest = `"name":"bash","input":"ls"`
	}
	if id != "" {
		rest += fmt.Sprintf(`,"id":%q`, id)
	}
	return fmt.Sprintf(`{"type":%q,"call_id":%q,%s}`, kind, callID, rest)
}

func output(kind, callID string) string {
	return fmt.Sprintf(`{"type":%q,"call_id":%q,"output":"ok"}`, kind+"_output", callID)
}

func fc(id, callID string) string { return call("function_call", id, callID) }
func fco(callID string) string    { return output("function_call", callID) }

func reasoning(group int) string {
	return fmt.Sprintf(`{"type":"reasoning","id":%q,"summary":[],"encrypted_content":%q}`, providertest.ReasoningID(group), providertest.EncryptedContent(providertest.ReasoningID(group)))
}

func bareReasoning(id string) string {
	return fmt.Sprintf(`{"type":"reasoning","id":%q,"summary":[]}`, id)
}

func answer(id string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"role":"assistant","status":"completed","content":[{"type":"output_text","text":"x","annotations":[]}]}`, id)
}

var (
	rs1  = reasoning(1)
	fc11 = fc(providertest.FollowingID("fc", 1, 1), "a")
	fc12 = fc(providertest.FollowingID("fc", 1, 2), "b")
)

var responsesRulings = []ruling{
	{"no JSON", `[`, "could not parse the JSON body", responses(ping)},
	{"model", `{"input":"x"}`, "^Missing required parameter: 'model'.", `{"model":"m","input":"x"}`},
	{"no input", `{"model":"m"}`, `One of "input" or`, `{"model":"m","previous_response_id":"resp_1"}`},
	{"input of another type", `{"model":"m","input":7}`, "^Invalid type for 'input'", `{"model":"m","input":"7"}`},
	{"unknown type", responses(`{"type":"tool_result"}`), "^Invalid value: 'tool_result'.", responses(`{"type":"web_search_call","id":"ws_1","status":"completed"}`)},
	{"unknown role", responses(role("tool", `"x"`)), "^Invalid value: 'tool'. Supported values are: 'assistant'", responses(role("developer", `"x"`))},
	{"no role", responses(`{"content":"x"}`), "^Missing required parameter: 'input[0].role'.", responses(ping)},
	{"no content", responses(`{"role":"user"}`), "^Missing required parameter: 'input[0].content'.", responses(ping)},
	{"null content", responses(role("user", "null")), "^Invalid type for 'input[0].content'", responses(ping)},
	{"chat's parts", responses(role("user", `[{"type":"text","text":"x"}]`)), "^Invalid value: 'text'. Supported values are: 'input_text'", responses(role("user", `[{"type":"input_text","text":"x"}]`))},
	{"the user's parts in the assistant", responses(ping, role("assistant", `[{"type":"input_text","text":"x"}]`)), "^Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.", responses(ping, answer("msg_1"))},
	{"call without call_id", responses(`{"type":"function_call","name":"f","arguments":"{}"}`), "^Missing required parameter: 'input[0].call_id'.", responses(fc("", "a"), fco("a"))},
	{"call without name", responses(`{"type":"function_call","call_id":"a","arguments":"{}"}`, fco("a")), "^Missing required parameter: 'input[0].name'.", responses(fc("", "a"), fco("a"))},
	{"empty name", responses(`{"type":"function_call","call_id":"a","name":"","arguments":"{}"}`, fco("a")), "^Invalid 'input[0].name': empty string.", responses(fc("", "a"), fco("a"))},
	{"arguments as an object", responses(`{"type":"function_call","call_id":"a","name":"f","arguments":{}}`, fco("a")), "^Invalid type for 'input[0].arguments': expected a string", responses(fc("", "a"), fco("a"))},
	{"custom call without input", responses(`{"type":"custom_tool_call","call_id":"a","name":"f"}`, output("custom_tool_call", "a")), "^Missing required parameter: 'input[0].input'.", responses(call("custom_tool_call", "", "a"), output("custom_tool_call", "a"))},
	{"result without output", responses(fc("", "a"), `{"type":"function_call_output","call_id":"a"}`), "^Missing required parameter: 'input[1].output'.", responses(fc("", "a"), fco("a"))},
	{"long call_id", responses(fc("", strings.Repeat("i", 65)), fco(strings.Repeat("i", 65))), "^Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64", responses(fc("", strings.Repeat("i", 64)), fco(strings.Repeat("i", 64)))},
	{"empty id", responses(fc("", "a"), strings.Replace(fco("a"), `"type"`, `"id":"","type"`, 1)), "^Invalid 'input[1].id': empty string.", responses(fc("", "a"), fco("a"))},
	{"long id", responses(answer("msg_" + strings.Repeat("i", 61))), "^Invalid 'input[0].id': string too long. Expected a string with maximum length 64", responses(answer("msg_" + strings.Repeat("i", 60)))},
	{"empty call_id", responses(fc("", ""), fco("")), "^Invalid 'input[0].call_id': empty string.", responses(fc("", "a"), fco("a"))},
	{"call without arguments", responses(`{"type":"function_call","call_id":"a","name":"f"}`, fco("a")), "^Missing required parameter: 'input[0].arguments'.", responses(fc("", "a"), fco("a"))},
	{"null output", responses(fc("", "a"), `{"type":"function_call_output","call_id":"a","output":null}`), "^Invalid type for 'input[1].output'", responses(fc("", "a"), fco("a"))},
	{"reference without id", responses(`{"type":"item_reference"}`), "^Missing required parameter: 'input[0].id'.", responses(`{"type":"item_reference","id":"msg_1"}`)},
	{"id of another kind", responses(fc("call_1", "a"), fco("a")), "^Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.", responses(fc("fc_1", "a"), fco("a"))},
	{"id of a message", responses(ping, answer("chatcmpl-1")), "Expected an ID that begins with 'msg'.", responses(ping, answer("msg_1"))},
	{"signs in an id", responses(fc("fc_1.2", "a"), fco("a")), "Expected an ID that contains letters, numbers", responses(fc("fc_1-2", "a"), fco("a"))},
	{"the same id", responses(answer("msg_1"), answer("msg_1")), "^Duplicate item found with id msg_1.", responses(answer("msg_1"), answer("msg_2"))},

	{"call without output", responses(ping, fc("", "a"), ping), "^No tool output found for function call a.", responses(ping, fc("", "a"), fco("a"), ping)},
	{"one of two without output", responses(fc("", "a"), fc("", "b"), fco("a")), "^No tool output found for function call b.", responses(fc("", "a"), fc("", "b"), fco("b"), fco("a"))},
	{"output without call", responses(ping, fco("a")), "^No tool call found for function call output with call_id a.", responses(ping, fc("", "a"), fco("a"))},
	{"output before the call", responses(fco("a"), fc("", "a")), "^No tool call found for function call output with call_id a.", responses(fc("", "a"), ping, fco("a"))},
	{"output twice", responses(fc("", "a"), fco("a"), fco("a")), "^No tool call found for function call output with call_id a.", responses(fc("", "a"), fco("a"))},
	{"output of another kind", responses(call("custom_tool_call", "", "a"), fco("a")), "^No tool call found for function call output with call_id a.", responses(call("custom_tool_call", "", "a"), output("custom_tool_call", "a"))},
	{"custom call without output", responses(call("custom_tool_call", "", "a")), "^No tool output found for custom tool call a.", responses(call("custom_tool_call", "", "a"), output("custom_tool_call", "a"))},
	{"computer call without output", responses(call("computer_call", "", "a")), "^No tool output found for computer call a.", responses(call("computer_call", "", "a"), output("computer_call", "a"))},
	{"shell call without output", responses(call("shell_call", "", "a")), "^No tool output found for shell call a.", responses(call("shell_call", "", "a"), output("shell_call", "a"))},
	{"patch without output", responses(call("apply_patch_call", "", "a")), "^No tool output found for apply patch call a.", responses(call("apply_patch_call", "", "a"), output("apply_patch_call", "a"))},

	{"call without its reasoning", responses(ping, fc11, fco("a")), "^Item 'fc_g000000000001_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_g000000000001'.", responses(ping, rs1, fc11, fco("a"))},
	{"message without its reasoning", responses(ping, answer(providertest.FollowingID("msg", 1, 1))), "of type 'message' was provided without its required 'reasoning' item: 'rs_g000000000001'.", responses(ping, answer(providertest.LoneID("msg", 1)))},
	{"second call without its reasoning", responses(ping, fc12, fco("b")), "^Item 'fc_g000000000001_2' of type 'function_call' was provided without", responses(ping, rs1, fc11, fc12, fco("a"), fco("b"))},
	{"reasoning after its call", responses(ping, fc11, fco("a"), rs1), "was provided without its required 'reasoning' item", responses(ping, rs1, fc11, fco("a"))},
	{"reasoning at the end", responses(ping, rs1), "^Item 'rs_g000000000001' of type 'reasoning' was provided without its required following item.", responses(ping, rs1, fc11, fco("a"))},
	{"reasoning before another item", responses(rs1, ping), "without its required following item", responses(rs1, answer(providertest.FollowingID("msg", 1, 1)), ping)},
	{"reasoning before the second of its items", responses(rs1, fc12, fco("b")), "without its required following item", responses(rs1, fc11, fc12, fco("a"), fco("b"))},
	{"reasoning before its item without id", responses(rs1, fc("", "a"), fco("a")), "without its required following item", responses(fc("", "a"), fco("a"))},
	{"reasoning without summary", responses(strings.Replace(rs1, `"summary":[],`, "", 1), fc11, fco("a")), "^Missing required parameter: 'input[0].summary'.", responses(rs1, fc11, fco("a"))},
	{"changed reasoning", responses(strings.Replace(rs1, "gAAAAAB", "gAAAAAC", 1), fc11, fco("a")), "^The encrypted content for item rs_g000000000001 could not be verified.", responses(rs1, fc11, fco("a"))},
	{"reasoning that is not kept", responsesWith(`,"store":false`, bareReasoning(providertest.ReasoningID(1)), fc11, fco("a")), "^Item with id 'rs_g000000000001' not found. Items are not persisted when `store` is set to false.", responsesWith(`,"store":false`, rs1, fc11, fco("a"))},
	{"reasoning that never was", responses(bareReasoning("rs_1"), ping), "^Item with id 'rs_1' not found.", responses(bareReasoning(providertest.ReasoningID(1)), fc11, fco("a"))},
	{"reference that is not kept", responsesWith(`,"store":false`, `{"type":"item_reference","id":"msg_1"}`), "^Item with id 'msg_1' not found.", responses(`{"type":"item_reference","id":"msg_1"}`)},
}

func TestOpenAIResponsesRefuses(t *testing.T) {
	for _, c := range responsesRulings {
		t.Run(c.name, func(t *testing.T) { c.check(t, providertest.ValidateOpenAIResponses) })
	}
}

func TestOpenAIResponsesAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"text":              `{"model":"m","input":"hi"}`,
		"first the answer":  responses(answer("msg_1"), ping),
		"system anywhere":   responses(ping, role("system", `"s"`), ping),
		"two groups":        responses(ping, rs1, fc11, fco("a"), reasoning(2), answer(providertest.FollowingID("msg", 2, 1)), ping),
		"foreign ids":       responses(ping, fc("fc_68c66139634081a28a57", "a"), fco("a"), answer("msg_68c6")),
		"behind a response": responsesWith(`,"previous_response_id":"resp_1"`, fco("a")),
		"output as parts":   responses(fc("", "a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"https://a/b.png"}]}`),
	} {
		if err := providertest.ValidateOpenAIResponses([]byte(body)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
}

func TestOpenAIServer(t *testing.T) {
	s := providertest.OpenAI(
		providertest.Reply{Text: "I look.", Calls: []providertest.Call{{Name: "bash", Arguments: `{"command":"ls"}`}, {Name: "pwd"}}},
		providertest.Reply{Thinking: "hm", Calls: []providertest.Call{{Name: "bash"}}},
		providertest.Reply{Status: 429, Text: "slow down"})
	defer s.Close()
	first := post(t, s, "/v1/chat/completions", chat(ping), 200)
	choice := first["choices"].([]any)[0].(map[string]any)
	message, _ := json.Marshal(choice["message"])
	if choice["finish_reason"] != "tool_calls" {
		t.Errorf("first answer %v", first)
	}
	refused := post(t, s, "/v1/chat/completions", chat(ping, string(message), ping), 400)
	if fault := refused["error"].(map[string]any); fault["type"] != "invalid_request_error" || fault["code"] != nil || !strings.Contains(fault["message"].(string), "must be followed by tool messages") {
		t.Errorf("refusal %v", refused)
	}
	ids := choice["message"].(map[string]any)["tool_calls"].([]any)
	id := func(i int) string { return ids[i].(map[string]any)["id"].(string) }
	if err := providertest.ValidateOpenAIChat([]byte(chat(ping, string(message), tool(id(0)), tool(id(1))))); err != nil {
		t.Error(err)
	}

	second := post(t, s, "/v1/responses", responsesWith(`,"include":["reasoning.encrypted_content"],"store":false`, ping), 200)
	items := second["output"].([]any)
	if len(items) != 2 || second["status"] != "completed" {
		t.Fatalf("second answer %v", second)
	}
	raw := make([]string, len(items))
	for i := range items {
		b, _ := json.Marshal(items[i])
		raw[i] = string(b)
	}
	result := fco(items[1].(map[string]any)["call_id"].(string))
	if err := providertest.ValidateOpenAIResponses([]byte(responsesWith(`,"store":false`, ping, raw[0], raw[1], result))); err != nil {
		t.Error(err)
	}
	post(t, s, "/v1/responses", responses(ping, raw[1], result), 400)
	if busy := post(t, s, "/v1/responses", responses(ping), 429); busy["error"].(map[string]any)["message"] != "slow down" {
		t.Errorf("an error reply is %v", busy)
	}
	post(t, s, "/v1/responses", responses(ping), 200)
	if got := len(s.Requests()); got != 6 {
		t.Errorf("%d requests were kept", got)
	}
}

func TestOpenAIFunc(t *testing.T) {
	s := providertest.OpenAIFunc(func(body []byte) providertest.Reply {
		return providertest.Reply{Text: fmt.Sprint(strings.Contains(string(body), "tools"))}
	})
	defer s.Close()
	got := post(t, s, "/v1/responses", responsesWith(`,"tools":[]`, ping), 200)["output"].([]any)[0].(map[string]any)
	if text := got["content"].([]any)[0].(map[string]any)["text"]; text != "true" {
		t.Errorf("chose %v", text)
	}
}
