package conversation_test

import . "github.com/agent-scratchpad/scratchpad/conversation"

func claudeSays(blocks string) Message {
	return raw(Anthropic, Message{Role: Assistant}, `{"role":"assistant","content":[`+blocks+`]}`)
}

func claudeHears(blocks string) Message {
	return raw(Anthropic, Message{Role: User}, `{"role":"user","content":[`+blocks+`]}`)
}

func chatSays(m Message, json string) Message { return raw(OpenAIChat, m, json) }

func item(json string) Message { return raw(OpenAIResponses, Message{Role: Assistant}, json) }

func geminiSays(parts string) Message {
	return raw(Gemini, Message{Role: Assistant}, `{"role":"model","parts":[`+parts+`]}`)
}

func geminiHears(parts string) Message {
	return raw(Gemini, Message{Role: User}, `{"role":"user","parts":[`+parts+`]}`)
}

const (
	think      = `{"type":"thinking","thinking":"hm","signature":"EqQB"}`
	unsigned   = `{"type":"thinking","thinking":"hm","signature":""}`
	redacted   = `{"type":"redacted_thinking","data":"EmwK"}`
	said       = `{"type":"text","text":"I look."}`
	useA       = `{"type":"tool_use","id":"toolu_a","name":"read_file","input":{"path":"a"}}`
	useB       = `{"type":"tool_use","id":"toolu_b","name":"read_file","input":{"path":"b"}}`
	resultA    = `{"type":"tool_result","tool_use_id":"toolu_a","content":"a"}`
	resultB    = `{"type":"tool_result","tool_use_id":"toolu_b","content":[{"type":"text","text":"b"}]}`
	search     = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"go"}}`
	found      = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`
	mcpUse     = `{"type":"mcp_tool_use","id":"mcptoolu_1","name":"echo","server_name":"s","input":{}}`
	mcpResult  = `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","is_error":false,"content":[]}`
	image      = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
	cacheMark  = `{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}`
	noMark     = `{"type":"text","text":"cache_control","cache_control":null}`
	markedDoc  = `{"type":"document","source":{"type":"content","content":[` + cacheMark + `]},"cache_control":{"type":"ephemeral"}}`
	useMarked  = `{"type":"tool_use","id":"toolu_a","name":"f","input":{"cache_control":{"type":"x"},"content":[` + cacheMark + `]}}`
	resMarked  = `{"type":"tool_result","tool_use_id":"toolu_a","content":[` + cacheMark + `],"cache_control":{"type":"ephemeral"}}`
	imageTiff  = `{"type":"image","source":{"type":"base64","media_type":"image/tiff","data":"SUkq"}}`
	reasoning  = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}`
	function   = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"read_file","arguments":"{}"}`
	functionTo = `{"type":"function_call_output","call_id":"call_1","output":"x"}`
	message    = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"x","annotations":[]}]}`
	callSigned = `{"functionCall":{"name":"read_file","args":{"path":"a"}},"thoughtSignature":"CiQB"}`
	callBare   = `{"functionCall":{"name":"read_file","args":{"path":"b"}}}`
	response   = `{"functionResponse":{"name":"read_file","response":{"output":"x"}}}`
)

var rawCases = map[Provider][]ruleCase{
	Anthropic: {
		{"no content member", "raw-form", 0, nil, list(raw(Anthropic, hello, `{"role":"user"}`), reply), list(claudeHears(said), reply)},
		{"a number", "raw-form", 0, nil, list(raw(Anthropic, hello, `1`), reply), list(claudeHears(said), reply)},
		{"another role", "raw-form", 1, nil, list(hello, raw(Anthropic, reply, `{"role":"tool","content":"x"}`)), list(hello, raw(Anthropic, reply, `{"role":"assistant","content":"x"}`))},
		{"result in an answer", "raw-form", 3, nil, list(hello, claudeSays(useA), claudeHears(resultA), claudeSays(said+","+resultA)), list(hello, claudeSays(useA), claudeHears(resultA), claudeSays(said))},
		{"call of the user", "raw-form", 0, nil, list(claudeHears(said + "," + useA)), list(claudeHears(said))},
		{"thinking of the user", "raw-form", 0, nil, list(claudeHears(think + "," + said)), list(claudeHears(said))},
		{"no JSON", "invalid-message", 1, nil, list(hello, raw(Anthropic, reply, `{"role":`), more), list(hello, reply, more)},
		{"the assistant first", "first-message", 0, nil, list(claudeSays(said), hello), list(hello, claudeSays(said))},
		{"system in the middle", "system-position", 1, nil, list(hello, raw(Anthropic, rules, `{"role":"system","content":"x"}`), reply), list(rules, hello, reply)},
		{"system object first", "system-position", 0, nil, list(raw(Anthropic, rules, `{"role":"system","content":"x"}`), hello), list(raw(Anthropic, rules, `[{"type":"text","text":"x"}]`), hello)},
		{"system prompt in the middle", "system-position", 1, nil, list(hello, raw(Anthropic, rules, `[{"type":"text","text":"x"}]`)), list(raw(Anthropic, rules, `[{"type":"text","text":"x"}]`), hello)},
		{"no signature", "thinking-signature", 1, nil, list(hello, claudeSays(unsigned+","+said)), list(hello, claudeSays(think+","+said))},
		{"no signature between calls", "thinking-signature", 3, nil, list(hello, claudeSays(think+","+useA), result("toolu_a"), claudeSays(`{"type":"thinking","thinking":"x"},`+useB), result("toolu_b")),
			list(hello, claudeSays(think+","+useA), result("toolu_a"), claudeSays(think+","+useB), result("toolu_b"))},
		{"redaction without data", "thinking-signature", 1, nil, list(hello, claudeSays(`{"type":"redacted_thinking","data":""},`+said)), list(hello, claudeSays(redacted+","+said))},
		{"thinking alone", "orphaned-reasoning", 1, nil, list(hello, claudeSays(think), more), list(hello, claudeSays(think+","+said), more)},
		{"open call", "missing-result", 1, nil, list(hello, claudeSays(useA+","+useB), result("toolu_a"), reply), list(hello, claudeSays(useA+","+useB), result("toolu_b"), result("toolu_a"), reply)},
		{"text before the result", "misplaced-result", 2, nil, list(hello, claudeSays(useA), claudeHears(said+","+resultA)), list(hello, claudeSays(useA), claudeHears(resultA+","+said))},
		{"image before the result", "misplaced-result", 2, nil, list(hello, claudeSays(useA), claudeHears(image+","+resultA)), list(hello, claudeSays(useA), claudeHears(resultA+","+image))},
		{"text behind the call", "misplaced-result", 2, nil, list(hello, claudeSays(useA+","+said), result("toolu_a")), list(hello, claudeSays(said+","+useA), result("toolu_a"))},
		{"text between two calls", "misplaced-result", 2, nil, list(hello, claudeSays(useA+","+said+","+useB), claudeHears(resultA), claudeHears(resultB)), list(hello, claudeSays(said+","+useA+","+useB), claudeHears(resultA), claudeHears(resultB))},
		{"orphan in a continuation", "orphaned-result", 3, nil, list(hello, claudeSays(useA), claudeHears(resultA), raw(Anthropic, result("toolu_b"), "["+resultB+"]"), reply),
			list(hello, claudeSays(useA+","+useB), claudeHears(resultA), raw(Anthropic, result("toolu_b"), "["+resultB+"]"), reply)},
		{"the id twice", "duplicate-id", 3, nil, list(hello, claudeSays(useA), claudeHears(resultA), claudeSays(useA), claudeHears(resultA)), list(hello, claudeSays(useA), claudeHears(resultA), claudeSays(useB), claudeHears(resultB))},
		{"arguments that are a text", "arguments", 1, nil, list(hello, claudeSays(`{"type":"tool_use","id":"toolu_a","name":"x","input":"{}"}`), result("toolu_a")), list(hello, claudeSays(useA), result("toolu_a"))},
		{"empty text block", "empty-content", 1, nil, list(hello, claudeSays(`{"type":"text","text":""},`+said), more), list(hello, claudeSays(said), more)},
		{"whitespace beside a call", "empty-content", 1, nil, list(hello, claudeSays(think+`,{"type":"text","text":"\n\n"},`+useA), result("toolu_a")), list(hello, claudeSays(think+`,{"type":"text","text":"\n\n"},`+said+","+useA), result("toolu_a"))},
		{"no blocks", "empty-content", 1, nil, list(hello, claudeSays(""), more), list(hello, claudeSays(said), more)},
		{"empty text in a result", "empty-content", 2, nil, list(hello, claudeSays(useA), claudeHears(`{"type":"tool_result","tool_use_id":"toolu_a","content":[{"type":"text","text":""}]}`)), list(hello, claudeSays(useA), claudeHears(`{"type":"tool_result","tool_use_id":"toolu_a"}`))},
		{"image in an answer", "image", 1, nil, list(hello, claudeSays(said+","+image)), list(hello, claudeSays(said))},
		{"image of another type", "image", 0, nil, list(claudeHears(imageTiff)), list(claudeHears(image))},
		{"image of another type in a result", "image", 2, nil, list(hello, claudeSays(useA), claudeHears(`{"type":"tool_result","tool_use_id":"toolu_a","content":[`+imageTiff+`]}`)), list(hello, claudeSays(useA), claudeHears(`{"type":"tool_result","tool_use_id":"toolu_a","content":[`+image+`]}`))},
		{"image in an error", "image", 2, nil, list(hello, claudeSays(useA), claudeHears(`{"type":"tool_result","tool_use_id":"toolu_a","is_error":true,"content":[`+image+`]}`)), list(hello, claudeSays(useA), claudeHears(resultA+","+image))},
		{"search without result", "missing-result", 1, nil, list(hello, claudeSays(search+","+said), more), list(hello, claudeSays(search+","+found+","+said), more)},
		{"remote call without result", "missing-result", 1, nil, list(hello, claudeSays(mcpUse+","+said), more), list(hello, claudeSays(mcpUse+","+mcpResult+","+said), more)},
		{"text beside the results that a search waits for", "missing-result", 1, nil, list(hello, claudeSays(search+","+useA), result("toolu_a"), more), list(hello, claudeSays(search+","+useA), result("toolu_a"))},
		{"a search that was never answered", "missing-result", 1, nil, list(hello, claudeSays(search+","+useA), result("toolu_a"), claudeSays(said), more), list(hello, claudeSays(search+","+useA), result("toolu_a"), claudeSays(found+","+said), more)},
		{"a search that the last answer passed by", "missing-result", 1, nil, list(hello, claudeSays(search+","+useA), result("toolu_a"), claudeSays(said)), list(hello, claudeSays(search+","+useA), result("toolu_a"), claudeSays(found+","+said))},
		{"result without search", "orphaned-result", 1, nil, list(hello, claudeSays(found+","+said), more), list(hello, claudeSays(search+","+found+","+said), more)},
		{"two results of a search", "duplicate-result", 1, nil, list(hello, claudeSays(search+","+found+","+found+","+said), more), list(hello, claudeSays(search+","+found+","+said), more)},
		// Anthropic accepts four blocks with cache_control in a request, wherever they stand.
		{"five marks of the cache", "raw-form", 2, nil, list(claudeHears(cacheMark+","+cacheMark), claudeHears(cacheMark+","+noMark), claudeHears(cacheMark+","+cacheMark), claudeHears(cacheMark)),
			list(claudeHears(cacheMark+","+cacheMark), claudeHears(cacheMark+","+noMark+","+cacheMark+","+noMark))},
		{"five with the instructions", "raw-form", 2, nil, list(raw(Anthropic, rules, "["+cacheMark+"]"), claudeHears(cacheMark+","+cacheMark), claudeHears(cacheMark+","+cacheMark)), list(rules, claudeHears(cacheMark+","+cacheMark), claudeHears(cacheMark+","+cacheMark))},
		{"five with a result", "raw-form", 3, nil, list(claudeHears(cacheMark+","+cacheMark), claudeSays(useMarked), claudeHears(resMarked), claudeHears(cacheMark)), list(claudeHears(cacheMark+","+cacheMark), claudeSays(useMarked), claudeHears(resMarked))},
		{"five with documents", "raw-form", 1, nil, list(claudeHears(markedDoc+","+markedDoc), claudeHears(cacheMark)), list(claudeHears(markedDoc+","+markedDoc), claudeHears(noMark))},
		{"id of a search", "call-id", 1, nil, list(hello, claudeSays(`{"type":"server_tool_use","id":"1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"1","content":[]}`), more), list(hello, claudeSays(search+","+found), more)},
	},
	OpenAIChat: {
		{"an array", "raw-form", 0, nil, list(chatSays(hello, `[]`), reply), list(chatSays(hello, `{"role":"user","content":"x"}`), reply)},
		{"no role", "raw-form", 0, nil, list(chatSays(hello, `{"content":"x"}`), reply), list(chatSays(hello, `{"role":"user","content":"x"}`), reply)},
		{"an empty list of calls", "raw-form", 1, nil, list(hello, chatSays(reply, `{"role":"assistant","content":"x","tool_calls":[]}`)), list(hello, chatSays(reply, `{"role":"assistant","content":"x"}`))},
		{"no content", "empty-content", 1, nil, list(hello, chatSays(reply, `{"role":"assistant","content":null}`), more), list(hello, chatSays(reply, `{"role":"assistant","content":""}`), more)},
		{"an empty list of parts", "empty-content", 0, nil, list(chatSays(hello, `{"role":"user","content":[]}`)), list(chatSays(hello, `{"role":"user","content":[{"type":"text","text":"x"}]}`))},
		{"a developer's message before the result", "misplaced-result", 3, nil, list(hello, chatCall("a"), chatSays(rules, `{"role":"developer","content":"x"}`), chatResult("a")), list(chatSays(rules, `{"role":"developer","content":"x"}`), hello, chatCall("a"), chatResult("a"))},
		{"custom call open", "missing-result", 1, nil, list(hello, chatSays(reply, `{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"patch","input":"*** Begin"}}]}`)), list(hello, chatSays(reply, `{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"patch","input":"*** Begin"}}]}`), chatResult("a"))},
		{"arguments cut off", "arguments", 1, nil, list(hello, chatSays(reply, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"a"}}]}`), chatResult("a")), list(hello, chatCall("a"), chatResult("a"))},
		{"image in a result", "image", 2, nil, list(hello, chatCall("a"), chatSays(result("a"), `{"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}`)), list(hello, chatCall("a"), chatResult("a"))},
	},
	OpenAIResponses: {
		{"a text", "raw-form", 0, nil, list(item(`"x"`)), list(item(message))},
		{"neither type nor role", "raw-form", 0, nil, list(item(`{"id":"x"}`)), list(item(message))},
		{"reasoning at the end", "orphaned-reasoning", 1, nil, list(hello, item(reasoning)), list(hello, item(reasoning), item(message))},
		{"reasoning before a question", "orphaned-reasoning", 1, nil, list(hello, item(reasoning), more), list(hello, item(reasoning), item(message), more)},
		{"reasoning before an output", "orphaned-reasoning", 2, nil, list(hello, item(function), item(reasoning), item(functionTo)), list(hello, item(reasoning), item(function), item(functionTo))},
		{"reasoning alone in an array", "orphaned-reasoning", 1, nil, list(hello, item("["+reasoning+"]"), raw(OpenAIResponses, more, `{"role":"user","content":"x"}`)), list(hello, item("["+reasoning+","+message+"]"), more)},
		{"open function", "missing-result", 1, nil, list(hello, item("["+reasoning+","+function+"]"), more), list(hello, item("["+reasoning+","+function+"]"), more, item(functionTo))},
		{"open custom tool", "missing-result", 1, nil, list(hello, item(`{"type":"custom_tool_call","call_id":"c","name":"patch","input":"x"}`)), list(hello, item(`{"type":"custom_tool_call","call_id":"c","name":"patch","input":"x"}`), item(`{"type":"custom_tool_call_output","call_id":"c","output":"x"}`))},
		{"open computer", "missing-result", 1, nil, list(hello, item(`{"type":"computer_call","id":"cu","call_id":"c","action":{"type":"screenshot"},"pending_safety_checks":[]}`)), list(hello, item(`{"type":"computer_call","id":"cu","call_id":"c","action":{"type":"screenshot"}}`), item(`{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot"}}`))},
		{"open local shell", "missing-result", 1, nil, list(hello, item(`{"type":"local_shell_call","id":"lsh_1","call_id":"c","action":{}}`)), list(hello, item(`{"type":"local_shell_call","id":"lsh_1","call_id":"c","action":{}}`), item(`{"type":"local_shell_call_output","id":"c","output":"x"}`))},
		{"open shell", "missing-result", 1, nil, list(hello, item(`{"type":"shell_call","call_id":"c","action":{}}`)), list(hello, item(`{"type":"shell_call","call_id":"c","action":{}}`), item(`{"type":"shell_call_output","call_id":"c","output":[]}`))},
		{"open patch", "missing-result", 1, nil, list(hello, item(`{"type":"apply_patch_call","call_id":"c","operation":{}}`)), list(hello, item(`{"type":"apply_patch_call","call_id":"c","operation":{}}`), item(`{"type":"apply_patch_call_output","call_id":"c","status":"completed"}`))},
		{"approval that nobody gave", "missing-result", 1, nil, list(hello, item(`{"type":"mcp_approval_request","id":"mcpr_1","name":"x","server_label":"s","arguments":"{}"}`), more), list(hello, item(`{"type":"mcp_approval_request","id":"mcpr_1","name":"x","server_label":"s","arguments":"{}"}`), item(`{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`))},
		{"output without call", "orphaned-result", 1, nil, list(hello, item(functionTo)), list(hello, item(function), item(functionTo))},
		{"output before its call", "misplaced-result", 1, nil, list(hello, item(functionTo), item(function)), list(hello, item(function), item(functionTo))},
		{"output of another kind", "misplaced-result", 2, nil, list(hello, item(`{"type":"custom_tool_call","call_id":"call_1","name":"patch","input":"x"}`), item(functionTo)), list(hello, item(function), item(functionTo))},
		{"two outputs", "duplicate-result", 3, nil, list(hello, item(function), item(functionTo), item(functionTo)), list(hello, item(function), item(functionTo))},
		{"an item twice", "duplicate-id", 3, nil, list(hello, item(message), more, item(message)), list(hello, item(message), more)},
		{"an image of the assistant", "image", 1, nil, list(hello, item(`{"role":"assistant","content":[{"type":"input_image","image_url":"https://x/y.png"}]}`)), list(hello, item(message))},
		{"a name with a space", "call-name", 1, nil, list(hello, item(`{"type":"function_call","call_id":"call_1","name":"read file","arguments":"{}"}`), item(functionTo)), list(hello, item(function), item(functionTo))},
	},
	Gemini: {
		{"a text", "raw-form", 0, nil, list(raw(Gemini, hello, `"x"`)), list(geminiHears(`{"text":"x"}`))},
		{"another role", "raw-form", 1, nil, list(hello, raw(Gemini, reply, `{"role":"assistant","parts":[{"text":"x"}]}`)), list(hello, geminiSays(`{"text":"x"}`))},
		{"the model first", "first-message", 0, nil, list(geminiSays(`{"text":"x"}`), hello), list(hello, geminiSays(`{"text":"x"}`))},
		{"no parts", "empty-content", 1, nil, list(hello, geminiSays(""), more), list(hello, geminiSays(`{"text":"x"}`), more)},
		{"empty text", "empty-content", 1, nil, list(hello, geminiSays(`{"text":""}`), more), list(hello, geminiSays(`{"text":"","thoughtSignature":"CiQB"}`), more)},
		{"open call", "missing-result", 1, nil, list(hello, geminiSays(callSigned), more), list(hello, geminiSays(callSigned), geminiHears(response), more)},
		{"fewer responses than calls", "missing-result", 1, nil, list(hello, geminiSays(callSigned+","+callBare), geminiHears(response), reply), list(hello, geminiSays(callSigned+","+callBare), geminiHears(response+","+response), reply)},
		{"more responses than calls", "orphaned-result", 2, nil, list(hello, geminiSays(callSigned), geminiHears(response+","+response)), list(hello, geminiSays(callSigned), geminiHears(response))},
		{"responses in two contents", "misplaced-result", 3, nil, list(hello, geminiSays(callSigned+","+callBare), geminiHears(response), geminiHears(response), reply), list(hello, geminiSays(callSigned+","+callBare), geminiHears(response+","+response), reply)},
		{"text between call and response", "misplaced-result", 3, nil, list(hello, geminiSays(`{"function_call":{"id":"1","name":"a"}}`), more, geminiHears(`{"function_response":{"id":"1","name":"a","response":{}}}`)), list(hello, geminiSays(`{"function_call":{"id":"1","name":"a"}}`), geminiHears(`{"function_response":{"id":"1","name":"a","response":{}}}`), more)},
		{"calls behind an answer", "call-position", 2, nil, list(hello, geminiSays(`{"text":"x"}`), geminiSays(callSigned), geminiHears(response)), list(hello, geminiSays(`{"text":"x"},`+callSigned), geminiHears(response))},
		{"no signature", "thinking-signature", 3, nil, list(hello, geminiSays(callSigned), geminiHears(response), geminiSays(callBare), geminiHears(response)), list(hello, geminiSays(callSigned), geminiHears(response), geminiSays(callSigned), geminiHears(response))},
		{"arguments that are a list", "arguments", 1, nil, list(hello, geminiSays(`{"functionCall":{"name":"a","args":[]}}`), geminiHears(`{"functionResponse":{"name":"a"}}`)), list(hello, geminiSays(`{"functionCall":{"name":"a","args":{}}}`), geminiHears(`{"functionResponse":{"name":"a"}}`))},
	},
}

func chatCall(id string) Message {
	return chatSays(call(id), `{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"main.go\"}"}}]}`)
}

func chatResult(id string) Message {
	return chatSays(result(id), `{"role":"tool","tool_call_id":"`+id+`","content":"package main"}`)
}
