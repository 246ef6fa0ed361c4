package conversation_test

import (
	"encoding/json"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// validConversations returns conversations that each provider accepts.
func validConversations() map[Provider]map[string][]Message {
	valid := map[Provider]map[string][]Message{
		Anthropic: claudeConversations(), OpenAIChat: chatConversations(),
		OpenAIResponses: responsesConversations(), Gemini: geminiConversations(),
	}
	for _, p := range all {
		for name, msgs := range plainConversations() {
			valid[p][name] = msgs
		}
		for q, conversations := range valid {
			for name, msgs := range conversations {
				if p != q && name == "rich" { // the other provider reads the fields
					valid[p][string(q)] = msgs
				}
			}
		}
	}
	return valid
}

func plainConversations() map[string][]Message {
	both := calls("call_1", "call_2")
	both.Content = "I look at both."
	failed := result("call_3")
	failed.IsError = true
	return map[string][]Message{
		"one question":      list(hello),
		"ends with the end": list(rules, hello, reply),
		"instructions":      list(rules, SystemText("Summary of prior conversation: …"), hello, reply, more),
		"users in a row":    list(hello, more, reply, hello, more),
		"answers in a row":  list(hello, reply, reply, more),
		"empty result":      list(hello, calls("call_1"), ToolResult("call_1", ""), reply),
		"no arguments":      list(hello, callOf("call_1", "now", ""), result("call_1"), callOf("call_2", "now", "{}"), result("call_2"), reply),
		"steering":          list(hello, calls("call_1"), result("call_1"), more, reply),
		"image":             list(withParts(hello, text("What is it?"), png, Part{Type: ImagePart, URL: "https://example.com/a.png"}), reply),
		"plain loop": list(rules, hello, both, result("call_2"), result("call_1"),
			calls("call_3"), failed, calls("call_4"), result("call_4"), reply, more, calls("call_5"), result("call_5"), reply),
		"text that is other JSON": list(UserText(`{"role":"tool"}`), AssistantText(`{"type":"tool_use"}`)),
	}
}

func claudeConversations() map[string][]Message {
	two := claudeSays(think + "," + said + "," + useA + "," + redacted + "," + useB)
	two.ToolCalls, two.Content = []ToolCall{{ID: "toolu_a", Name: "read_file"}, {ID: "toolu_b", Name: "read_file"}}, "I look."
	searched := claudeSays(search + "," + found + "," + said)
	searched.Content = "I look."
	document := claudeHears(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"cache_control":{"type":"ephemeral"}},` + said)
	document.Content = "I look."
	return map[string][]Message{
		"rich": list(rules, document, two,
			raw(Anthropic, result("toolu_b"), `{"role":"user","content":[`+resultB+`]}`),
			raw(Anthropic, result("toolu_a"), `[`+resultA+`]`),
			raw(Anthropic, more, `[`+said+`]`),
			searched, more, reply),
		"paused":                 list(hello, claudeSays(said+","+search)),
		"paused and resumed":     list(hello, claudeSays(said+","+search), claudeSays(found+","+said), more),
		"put off":                list(hello, claudeSays(search+","+useA), claudeHears(resultA), claudeSays(found+","+said), more),
		"put off, parallel":      list(hello, claudeSays(search+","+useA+","+useB), result("toolu_b"), result("toolu_a")),
		"called by code":         list(hello, claudeSays(`{"type":"server_tool_use","id":"srvtoolu_2","name":"code_execution","input":{}},{"type":"tool_use","id":"toolu_a","name":"x","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_2"}}`), claudeHears(resultA), claudeSays(`{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_2","content":{}},`+said), more),
		"calls in two messages":  list(hello, claudeSays(useA), claudeSays(useB), claudeHears(resultB+","+resultA), reply),
		"results in two":         list(hello, claudeSays(useA+","+useB), claudeHears(resultB), claudeHears(resultA+","+said), reply),
		"empty last answer":      list(hello, claudeSays("")),
		"empty last translation": list(hello, AssistantText("")),
		"text for content":       list(raw(Anthropic, hello, `{"role":"user","content":"x"}`), raw(Anthropic, reply, `{"content":"y","role":"assistant","id":"msg_1"}`)),
		"unknown blocks":         list(claudeHears(`{"type":"new","text":7,"id":{}},`+said), claudeSays(`{"type":"fallback","name":[]},`+said)),
		"empty thinking":         list(hello, claudeSays(`{"type":"thinking","thinking":"","signature":"EqQB"},`+said), more),
		"image result":           list(hello, claudeSays(useA), withParts(result("toolu_a"), png), reply),
	}
}

func chatConversations() map[string][]Message {
	return map[string][]Message{
		"rich": list(rules, hello, chatCall("call_a"), chatResult("call_a"), chatCall("call_b"), chatResult("call_b"),
			chatSays(reply, `{"role":"assistant","content":"A server.","refusal":null,"annotations":[]}`), more),
		"instruction in the middle": list(hello, reply, rules, more, reply),
		"the assistant first":       list(reply, hello),
		"instructions alone":        list(rules),
		"an id again":               list(hello, calls("call_0"), result("call_0"), calls("call_0"), result("call_0"), reply),
		"an id with a colon":        list(hello, calls("functions.read:0"), result("functions.read:0")),
		"refusal":                   list(hello, chatSays(reply, `{"role":"assistant","content":null,"refusal":"No."}`), more),
		"audio":                     list(hello, chatSays(reply, `{"role":"assistant","content":null,"audio":{"id":"audio_1"}}`), more),
		"old function":              list(hello, chatSays(reply, `{"role":"assistant","content":null,"function_call":{"name":"x","arguments":"{}"}}`), chatSays(result("x"), `{"role":"function","name":"x","content":"y"}`), reply),
		"reasoning of others":       list(hello, chatSays(reply, `{"role":"assistant","content":"","reasoning_content":"hm"}`), more),
		"empty answer":              list(hello, AssistantText(""), more),
	}
}

func responsesConversations() map[string][]Message {
	thought := item(reasoning)
	calling := item(function)
	calling.ToolCalls = []ToolCall{{ID: "call_1", Name: "read_file", Arguments: json.RawMessage("{}")}}
	answered := raw(OpenAIResponses, result("call_1"), functionTo)
	finally := item(message)
	finally.Content = "x"
	return map[string][]Message{
		// Reasoning means nothing to other providers, so it is in one message with its call.
		"rich": list(rules, hello, merged(thought, calling), answered, finally, more),
		"one item a message": list(rules, hello, thought, calling, answered,
			item(`{"type":"reasoning","id":"rs_2","summary":[]}`), item(`{"type":"web_search_call","id":"ws_1","status":"completed"}`), finally, more),
		"output far behind":  list(hello, item(function), more, reply, more, item(functionTo)),
		"by fields":          list(hello, thought, calls("call_9"), more, result("call_9")),
		"answered by fields": list(hello, item(`{"type":"custom_tool_call","call_id":"c","name":"patch","input":"x"}`), ToolResult("c", "done")),
		"kept there":         list(item(`{"type":"item_reference","id":"fc_1"}`), item(functionTo), item(`{"id":"rs_9","type":"item_reference"}`), more),
		"run there": list(hello, item(`[{"type":"code_interpreter_call","id":"ci_1"},{"type":"mcp_list_tools","id":"mcpl_1"},{"type":"mcp_call","id":"mcp_1","name":"x"},{"type":"file_search_call","id":"fs_1"},
			{"type":"image_generation_call","id":"ig_1"},{"type":"tool_search_call","id":"ts_1","call_id":null,"execution":"server"},{"type":"tool_search_output","call_id":null,"tools":[]},{"type":"compaction","encrypted_content":"x"}]`), more),
		"reasoning twice":     list(hello, item("["+reasoning+`,{"type":"reasoning","id":"rs_2","summary":[]},`+message+"]"), more),
		"a plain message":     list(raw(OpenAIResponses, hello, `{"role":"user","content":"x"}`), raw(OpenAIResponses, reply, `{"role":"assistant","content":"y"}`)),
		"result with image":   list(hello, calls("call_1"), withParts(result("call_1"), png), reply),
		"the assistant first": list(reply, rules, hello),
		"instructions alone":  list(rules),
	}
}

func merged(a, b Message) Message {
	b.Raw = json.RawMessage("[" + string(a.Raw) + "," + string(b.Raw) + "]")
	return b
}

func geminiConversations() map[string][]Message {
	calling := geminiSays(`{"text":"hm","thought":true},` + callSigned + "," + callBare)
	calling.ToolCalls = []ToolCall{{ID: "call_7", Name: "read_file"}, {ID: "call_8", Name: "read_file"}}
	return map[string][]Message{
		"rich":                     list(rules, hello, calling, result("call_8"), result("call_7"), reply, more),
		"without ids":              list(hello, geminiSays(callSigned), geminiHears(response), geminiSays(callSigned), geminiHears(response), reply, more),
		"never signed":             list(hello, geminiSays(callBare), geminiHears(response), geminiSays(callBare), geminiHears(response), reply),
		"unsigned long ago":        list(hello, geminiSays(callBare), geminiHears(response), reply, more, geminiSays(callSigned), geminiHears(response), reply),
		"signed in another part":   list(hello, geminiSays(`{"text":"x","thoughtSignature":"CiQB"},`+callBare), geminiHears(response), reply),
		"an id again":              list(hello, calls("call_0"), result("call_0"), calls("call_0"), result("call_0"), reply),
		"an id with a colon":       list(hello, calls("functions.read:0"), result("functions.read:0")),
		"image of the model":       list(hello, geminiSays(`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`), more),
		"run there":                list(hello, geminiSays(`{"executableCode":{"code":"1"}},{"codeExecutionResult":{"output":"1"}},{"text":"1"}`), more),
		"a question without role":  list(raw(Gemini, hello, `{"parts":[{"text":"x"}]}`), reply),
		"function for the role":    list(hello, geminiSays(callSigned), raw(Gemini, result("x"), `{"role":"function","parts":[`+response+`]}`), reply),
		"blank is a text":          list(UserText(" "), reply),
		"result with text besides": list(hello, geminiSays(callSigned), geminiHears(response+`,{"text":"and?"}`), reply),
	}
}

func TestCheckAcceptsValid(t *testing.T) {
	for p, conversations := range validConversations() {
		for name, msgs := range conversations {
			t.Run(string(p)+" "+name, func(t *testing.T) { none(t, p, msgs) })
		}
	}
}
