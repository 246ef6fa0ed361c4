package providertest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

// A ruling is a request that is refused, with the smallest change that corrects it.
type ruling struct {
	name    string
	refused string
	want    string // the error contains it; with "^" before it begins with it
	mended  string
}

func (c ruling) check(t *testing.T, validate func([]byte) error) {
	t.Helper()
	err := validate([]byte(c.refused))
	var refused *providertest.Refusal
	if !errors.As(err, &refused) {
		t.Fatalf("accepted, want %q: %v\n%s", c.want, err, c.refused)
	}
	if refused.Status/100 != 4 || refused.Type == "" {
		t.Errorf("refused with %d %q", refused.Status, refused.Type)
	}
	start, begins := strings.CutPrefix(c.want, "^")
	if !strings.Contains(refused.Message, start) || begins && !strings.HasPrefix(refused.Message, start) {
		t.Errorf("refused with\n%s\nwant\n%s", refused.Message, c.want)
	}
	if err := validate([]byte(c.mended)); err != nil {
		t.Errorf("the mended request is refused: %v\n%s", err, c.mended)
	}
}

func askModel(model, fields string, messages ...string) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":4096%s,"messages":[%s]}`, model, fields, strings.Join(messages, ","))
}

// ask is a request to a model without special rules.
func ask(messages ...string) string { return askModel("claude-opus-4-5", "", messages...) }

func askManual(messages ...string) string {
	return askModel("claude-opus-4-5", `,"thinking":{"type":"enabled","budget_tokens":2048}`, messages...)
}

func role(who, content string) string { return fmt.Sprintf(`{"role":%q,"content":%s}`, who, content) }

func user(blocks ...string) string      { return role("user", "["+strings.Join(blocks, ",")+"]") }
func assistant(blocks ...string) string { return role("assistant", "["+strings.Join(blocks, ",")+"]") }

func say(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
func use(id string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"bash","input":{"command":"ls"}}`, id)
}
func result(id string) string {
	return fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"ok"}`, id)
}
func resultOf(content string) string {
	return user(fmt.Sprintf(`{"type":"tool_result","tool_use_id":"a","content":%s}`, content))
}
func think(s string) string { return thinkSigned(s, providertest.Signature(s)) }
func thinkSigned(s, signature string) string {
	return fmt.Sprintf(`{"type":"thinking","thinking":%q,"signature":%q}`, s, signature)
}
func search(id string) string {
	return fmt.Sprintf(`{"type":"server_tool_use","id":%q,"name":"web_search","input":{"query":"go"}}`, id)
}
func found(id string) string {
	return fmt.Sprintf(`{"type":"web_search_tool_result","tool_use_id":%q,"content":[]}`, id)
}

var (
	hi   = user(say("hi"))
	more = user(say("more"))
	yes  = assistant(say("yes"))
)

func system(s string) string { return role("system", fmt.Sprintf("%q", s)) }

func newer(messages ...string) string { return askModel("claude-opus-4-8", "", messages...) }

func with(block, member string) string { return strings.TrimSuffix(block, "}") + "," + member + "}" }

const png = `{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}`

func image(source string) string { return `{"type":"image","source":` + source + `}` }

var anthropicRulings = []ruling{
	{"model", `{"max_tokens":5,"messages":[` + hi + `]}`, "^model: Field required", ask(hi)},
	{"max_tokens", `{"model":"m","messages":[` + hi + `]}`, "^max_tokens: Field required", ask(hi)},
	{"no messages", ask(), "at least one message is required", ask(hi)},
	{"no JSON", `{"model":`, "not valid JSON", ask(hi)},
	{"unknown role", ask(hi, role("tool", `"x"`)), `Unexpected role "tool"`, ask(hi, role("user", `"x"`))},
	{"first is the assistant", ask(yes, hi), `^messages: first message must use the "user" role`, ask(hi, yes, hi)},
	{"first is the system", ask(system("be brief"), hi), "^messages.0: use the top-level 'system' parameter", askModel("m", `,"system":"be brief"`, hi)},
	{"system in an older model", ask(hi, system("s")), "role 'system' is not supported on this model", newer(hi, system("s"))},
	{"system after the assistant", newer(hi, yes, system("s"), hi), "^messages.2: role 'system' must follow a 'user' message", newer(hi, yes, hi, system("s"))},
	{"system before the user", newer(hi, system("s"), system("t"), hi), "^messages.2: role 'system' must precede an 'assistant'", newer(hi, system("s"), system("t"), yes, hi)},
	{"system between call and result", newer(hi, assistant(use("a")), system("s"), user(result("a"))), "^messages.2: role 'system' must follow", newer(hi, assistant(use("a")), user(result("a")), system("s"))},
	{"empty system message", newer(hi, system("")), "^messages.1: system content must contain at least one block", newer(hi, `{"role":"system","content":[],"output_config":{"effort":"low"}}`)},
	{"image in a system message", newer(hi, role("system", "["+image(png)+"]")), "supports text, tool_addition", newer(hi, role("system", "["+say("s")+"]"))},

	{"empty message", ask(role("user", `""`), yes, hi), "^messages.0: all messages must have non-empty content", ask(role("user", `"x"`), yes, hi)},
	{"empty blocks", ask(hi, assistant(), hi), "^messages.1: all messages must have non-empty content", ask(hi, assistant(say("x")), hi)},
	{"empty text", ask(user(say(""), say("x"))), "^messages: text content blocks must be non-empty", ask(user(say("x")))},
	{"empty text in a result", ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}`)), "text content blocks must be non-empty",
		ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","content":""}`))},
	{"white space", ask(user(say(" \n"))), "must contain non-whitespace text", ask(user(say(" \n"), say("x")))},
	{"white space beside a call", ask(hi, assistant(say("\n"), use("a")), user(result("a"))), "must contain non-whitespace text", ask(hi, assistant(use("a")), user(result("a")))},
	{"empty system prompt block", askModel("m", `,"system":[{"type":"text","text":""}]`, hi), "^system: text content blocks must be non-empty", askModel("m", `,"system":""`, hi)},
	{"trailing white space", ask(hi, assistant(say("It is "))), "final assistant content cannot end with trailing whitespace", ask(hi, assistant(say("It is")))},
	{"prefill", newer(hi, assistant(say("It is"))), "^This model does not support assistant message prefill", newer(hi, assistant(say("It is")), hi)},

	{"call without result", ask(hi, assistant(use("a"), use("b")), user(result("a"))),
		"^messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have", ask(hi, assistant(use("a"), use("b")), user(result("a"), result("b")))},
	{"call at the end", ask(hi, assistant(use("a"))), "^messages.1: `tool_use` ids were found without", ask(hi, assistant(use("a")), user(result("a")))},
	{"result in a later turn", ask(hi, assistant(use("a")), more, yes, user(result("a"))), "^messages.1: `tool_use` ids were found without", ask(hi, assistant(use("a")), user(result("a")), yes, more)},
	{"result after text", ask(hi, assistant(use("a")), user(say("first"), result("a"))), "immediately after: a", ask(hi, assistant(use("a")), user(result("a"), say("then")))},
	{"result after a message of text", ask(hi, assistant(use("a")), more, user(result("a"))), "immediately after: a", ask(hi, assistant(use("a")), user(result("a")), more)},
	{"results in two messages, text between", ask(hi, assistant(use("a"), use("b")), user(result("a")), more, user(result("b"))), "immediately after: b", ask(hi, assistant(use("a"), use("b")), user(result("a")), user(result("b")), more)},
	{"result without call", ask(user(result("a"))), "^messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have", ask(hi)},
	{"result of a call of an earlier turn", ask(hi, assistant(use("a")), user(result("a")), yes, user(result("a"))), "^messages.4.content.0: unexpected `tool_use_id`", ask(hi, assistant(use("a")), user(result("a")), yes, more)},
	{"two results", ask(hi, assistant(use("a")), user(result("a"), result("a"))), "^messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a", ask(hi, assistant(use("a")), user(result("a")))},
	{"the id twice", ask(hi, assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))), "^messages.3.content.0: `tool_use` ids must be unique", ask(hi, assistant(use("a")), user(result("a")), assistant(use("b")), user(result("b")))},
	{"result from the assistant", ask(hi, assistant(result("a")), hi), "^messages.1: `tool_result` blocks can only be in `user` messages", ask(hi, yes, hi)},
	{"call from the user", ask(user(use("a"))), "blocks can only be in `assistant` messages", ask(hi)},
	{"id", ask(hi, assistant(use("a.1")), user(result("a.1"))), "^messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", ask(hi, assistant(use("a-1")), user(result("a-1")))},
	{"id of a result", ask(hi, assistant(use("a")), user(result(""))), "^messages.2.content.0.tool_result.tool_use_id: String should match", ask(hi, assistant(use("a")), user(result("a")))},
	{"no name", ask(hi, assistant(strings.Replace(use("a"), "bash", "", 1)), user(result("a"))), "tool_use.name: String should have at least 1 character", ask(hi, assistant(use("a")), user(result("a")))},
	{"long name", ask(hi, assistant(strings.Replace(use("a"), "bash", strings.Repeat("n", 201), 1)), user(result("a"))), "tool_use.name: String should have at most 200 characters",
		ask(hi, assistant(strings.Replace(use("a"), "bash", strings.Repeat("n", 200), 1)), user(result("a")))},
	{"input", ask(hi, assistant(strings.Replace(use("a"), `{"command":"ls"}`, `"ls"`, 1)), user(result("a"))), "^messages.1.content.0.tool_use.input: Input should be a valid dictionary",
		ask(hi, assistant(strings.Replace(use("a"), `{"command":"ls"}`, `{}`, 1)), user(result("a")))},
	{"image in an error", ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[`+image(png)+`]}`)), "all content must be type `text` if `is_error` is true",
		ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","content":[`+image(png)+`]}`))},
	{"call in a result", ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","content":[`+use("b")+`]}`)), "tool_result.content.0: Input tag 'tool_use'", ask(hi, assistant(use("a")), user(result("a")))},
	{"picture in a result", ask(hi, assistant(use("a")), resultOf(`[{"type":"image","source":{"type":"path"}}]`)), "tool_result.content.0.image.source: Input tag 'path'", ask(hi, assistant(use("a")), resultOf(`[`+image(png)+`]`))},
	{"result as an object", ask(hi, assistant(use("a")), resultOf(`{"text":"ok"}`)), "tool_result.content: Input should be a valid list", ask(hi, assistant(use("a")), resultOf(`[]`))},
	{"content as an object", ask(role("user", "{}")), "^messages.0.content: Input should be a valid list", ask(role("user", `"x"`))},
	{"no role", ask(`{"content":"hi"}`), "^messages.0.role: Field required", ask(hi)},
	{"text without text", ask(user(`{"type":"text"}`)), "^messages.0.content.0.text.text: Field required", ask(user(say("x")))},
	{"call without id", ask(hi, assistant(`{"type":"tool_use","name":"n","input":{}}`), hi), "tool_use.id: Field required", ask(hi, yes, hi)},
	{"call without name", ask(hi, assistant(`{"type":"tool_use","id":"a","input":{}}`), user(result("a"))), "tool_use.name: Field required", ask(hi, assistant(use("a")), user(result("a")))},
	{"call without input", ask(hi, assistant(`{"type":"tool_use","id":"a","name":"n"}`), user(result("a"))), "tool_use.input: Field required", ask(hi, assistant(use("a")), user(result("a")))},
	{"result without id", ask(hi, assistant(use("a")), user(`{"type":"tool_result"}`)), "tool_result.tool_use_id: Field required", ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a"}`))},
	{"thinking without text", ask(hi, assistant(`{"type":"thinking","signature":"`+providertest.Signature("")+`"}`, say("x")), hi), "thinking.thinking: Field required", ask(hi, assistant(think(""), say("x")), hi)},
	{"redaction without data", ask(hi, assistant(`{"type":"redacted_thinking"}`, say("x")), hi), "redacted_thinking.data: Field required", ask(hi, assistant(say("x")), hi)},
	{"unknown block", ask(user(`{"type":"mystery"}`)), "^messages.0.content.0: Input tag 'mystery' found using 'type'", ask(hi)},
	{"image from the assistant", ask(hi, assistant(image(png)), hi), "'image' blocks are not permitted within assistant turns", ask(user(image(png)))},
	{"kind of image", ask(user(image(`{"type":"base64","media_type":"image/tiff","data":"AAAA"}`))), "image.source.base64.media_type: Input should be", ask(user(image(png)))},
	{"data of an image", ask(user(image(`{"type":"base64","media_type":"image/png","data":"?"}`))), "invalid base64 data", ask(user(image(png)))},
	{"address of an image", ask(user(image(`{"type":"url","url":"http://a/b.png"}`))), "Only HTTPS URLs", ask(user(image(`{"type":"url","url":"https://a/b.png"}`)))},
	{"image without source", ask(user(`{"type":"image"}`)), "image.source: Field required", ask(user(image(png)))},
	{"empty image", ask(user(image(`{"type":"base64","media_type":"image/png","data":""}`))), "invalid base64 data", ask(user(image(png)))},
	{"MCP call without result", ask(hi, assistant(`{"type":"mcp_tool_use","id":"mcptoolu_1","name":"n","server_name":"s","input":{}}`, say("x")), hi), "`n` tool use with id `mcptoolu_1` was found without a corresponding `mcp_tool_result` block",
		ask(hi, assistant(`{"type":"mcp_tool_use","id":"mcptoolu_1","name":"n","server_name":"s","input":{}}`, `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","content":[]}`, say("x")), hi)},
	{"null as content", ask(role("user", "null"), hi), "^messages.0: all messages must have non-empty content", ask(hi)},
	{"source of an image", ask(user(image(`{"type":"path"}`))), "image.source: Input tag 'path'", ask(user(image(`{"type":"file","file_id":"f"}`)))},
	{"five marks", ask(user(with(say("a"), mark), with(say("b"), mark), with(say("c"), mark)), yes, user(with(say("d"), mark), with(say("e"), mark))),
		"^A maximum of 4 blocks with cache_control may be provided. Found 5.", ask(user(with(say("a"), mark), with(say("b"), mark), with(say("c"), mark)), yes, user(with(say("d"), mark), say("e")))},

	{"changed thinking", ask(hi, assistant(thinkSigned("altered", providertest.Signature("t")), say("x")), hi), "^messages.1.content.0: Invalid `signature` in `thinking` block", ask(hi, assistant(think("t"), say("x")), hi)},
	{"empty signature", ask(hi, assistant(thinkSigned("t", ""), say("x")), hi), "Invalid `signature` in `thinking` block", ask(hi, assistant(thinkSigned("", providertest.Signature("")), say("x")), hi)},
	{"no signature", ask(hi, assistant(`{"type":"thinking","thinking":"t"}`, say("x")), hi), "^messages.1.content.0.thinking.signature: Field required", ask(hi, assistant(say("x")), hi)},
	{"mark on thinking", ask(hi, assistant(with(think("t"), mark), say("x")), hi), "thinking.cache_control: Extra inputs are not permitted", ask(hi, assistant(think("t"), with(say("x"), mark)), hi)},
	{"changed redaction", ask(hi, assistant(`{"type":"redacted_thinking","data":"AAAA"}`, say("x")), hi), "Invalid `data` in `redacted_thinking` block", ask(hi, assistant(`{"type":"redacted_thinking","data":"`+providertest.RedactedData("t")+`"}`, say("x")), hi)},
	{"thinking at the end of a message", ask(hi, assistant(say("x"), think("t")), hi), "^messages.1: The final block in an assistant message cannot be `thinking`.", ask(hi, assistant(think("t"), say("x")), hi)},
	{"thinking inside a message", askManual(hi, assistant(say("x"), think("t"), say("y")), hi), "the first block must be `thinking` or `redacted_thinking`. Found `text`.", ask(hi, assistant(say("x"), think("t"), say("y")), hi)},
	{"loop without thinking", askManual(hi, assistant(use("a")), user(result("a"))), "^messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled",
		askManual(hi, assistant(think("t"), use("a")), user(result("a")))},
	{"loop of two without thinking", askManual(hi, assistant(say("x"), use("a")), user(result("a")), assistant(use("b")), user(result("b"))), "^messages.1.content.0.type: Expected `thinking`",
		askManual(hi, assistant(think("t"), use("a")), user(result("a")), assistant(use("b")), user(result("b")))},
	{"prefill without thinking", askManual(hi, assistant(say("x"))), "^messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`", askManual(hi, assistant(say("x")), hi)},
	{"thinking budget", strings.Replace(askManual(hi), "2048", "4096", 1), "`max_tokens` must be greater than `thinking.budget_tokens`", askManual(hi)},
	{"no thinking budget", strings.Replace(askManual(hi), `,"budget_tokens":2048`, "", 1), "thinking.enabled.budget_tokens: Field required", askManual(hi)},
	{"small thinking budget", strings.Replace(askManual(hi), "2048", "1023", 1), "budget_tokens: Input should be greater than or equal to 1024", strings.Replace(askManual(hi), "2048", "1024", 1)},

	{"search without result", ask(hi, assistant(search("srvtoolu_1"), say("x")), hi), "^messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
		ask(hi, assistant(search("srvtoolu_1"), found("srvtoolu_1"), say("x")), hi)},
	{"result without search", ask(hi, assistant(found("srvtoolu_1"), say("x")), hi), "^messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have",
		ask(hi, assistant(say("x")), hi)},
	{"result before search", ask(hi, assistant(found("srvtoolu_1"), search("srvtoolu_1"), say("x")), hi), "unexpected `tool_use_id` found in `web_search_tool_result`", ask(hi, assistant(search("srvtoolu_1")), assistant(found("srvtoolu_1"), say("x")), hi)},
	{"text beside the results that a search waits for", ask(hi, assistant(search("srvtoolu_1"), use("a")), user(result("a"), say("x"))), "without a corresponding `web_search_tool_result`",
		ask(hi, assistant(search("srvtoolu_1"), use("a")), user(result("a")))},
	{"id of a search", ask(hi, assistant(search("toolu_1"), found("toolu_1"), say("x")), hi), "server_tool_use.id: String should match pattern '^srvtoolu_", ask(hi, assistant(search("srvtoolu_1"), found("srvtoolu_1"), say("x")), hi)},
}

const mark = `"cache_control":{"type":"ephemeral"}`

func TestAnthropicRefuses(t *testing.T) {
	for _, c := range anthropicRulings {
		t.Run(c.name, func(t *testing.T) { c.check(t, providertest.ValidateAnthropic) })
	}
}

func TestAnthropicAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"one question":                      ask(role("user", `"hi"`)),
		"messages in a row":                 ask(hi, more, yes, yes, hi),
		"calls in messages in a row":        ask(hi, assistant(use("a")), assistant(use("b")), user(result("a")), user(result("b"))),
		"results in another order":          ask(hi, assistant(use("a"), use("b")), user(result("b"), result("a"))),
		"interleaved thinking":              newer(hi, assistant(think("1"), use("a")), user(result("a")), assistant(think("2"), say("x"), use("b")), user(result("b"))),
		"thinking off":                      ask(hi, assistant(use("a")), user(result("a"))),
		"manual thinking, old turn without": askManual(hi, yes, more, assistant(think("t"), use("a")), user(result("a"))),
		"adaptive thinking, loop without":   askModel("claude-opus-4-8", `,"thinking":{"type":"adaptive"}`, hi, assistant(use("a")), user(result("a"))),
		"error as text":                     ask(hi, assistant(use("a")), user(`{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"no"}]}`)),
		"empty last answer":                 ask(hi, assistant()),
		"paused":                            newer(hi, assistant(search("srvtoolu_1"))),
		"dated model":                       askModel("claude-haiku-4-5-20251001", "", hi, yes),
		"unknown fields":                    ask(user(with(say("x"), `"citations":null,"new":{"a":1}`))),
	} {
		if err := providertest.ValidateAnthropic([]byte(body)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
}

// The newest models accept their thinking only after the same messages as before.
func TestAnthropicBindsThinking(t *testing.T) {
	tool := `,"tools":[{"name":"bash","input_schema":{}}]`
	bound := func(messages ...string) string { return askModel("claude-opus-5-5", tool, messages...) }
	sign := func(s, body string) string {
		t.Helper()
		signature, err := providertest.BoundSignature(s, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return thinkSigned(s, signature)
	}
	one := assistant(sign("one", bound(hi)), use("a"))
	two := assistant(sign("two", bound(hi, one, user(result("a")))), say("x"))
	three := assistant(sign("three", bound(hi, one, user(result("a")), two, more)), say("y"))
	oneBare, twoBare := assistant(use("a")), assistant(say("x"))
	const moved = "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
	drop := `,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}` + tool

	for name, body := range map[string]string{
		"as it was":              bound(hi, one, user(result("a")), two, more, three, hi),
		"the oldest left out":    bound(hi, oneBare, user(result("a")), two, more, three, hi),
		"the newest left out":    bound(hi, one, user(result("a")), twoBare, more),
		"cache marks":            bound(user(with(say("hi"), mark)), one, user(with(result("a"), mark)), two, more),
		"text instead of blocks": bound(role("user", `"hi"`), one, user(result("a")), two, more),
		"a summary, dropped":     askModel("claude-opus-5-5", drop, user(say("summary")), two, more),
		"a summary, older model": askModel("claude-opus-4-8", tool, user(say("summary")), two, more),
		"made by an older model": bound(user(say("summary")), assistant(think("t"), say("x")), more),
	} {
		if err := providertest.ValidateAnthropic([]byte(body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct{ body, want string }{
		"a summary before it":   {bound(user(say("summary")), two, more), "messages.1.content.0: " + moved},
		"another system prompt": {askModel("claude-opus-5-5", tool+`,"system":"s"`, hi, one, user(result("a"))), "messages.1.content.0: " + moved},
		"another tool":          {askModel("claude-opus-5-5", "", hi, one, user(result("a"))), "messages.1.content.0: " + moved},
		"a result shortened":    {bound(hi, one, user(`{"type":"tool_result","tool_use_id":"a","content":"…"}`), two, more), "messages.3.content.0: " + moved},
		"one between left out":  {bound(hi, one, user(result("a")), twoBare, more, three, hi), "messages.5.content.0: " + moved},
		"the setting is named":  {bound(user(say("summary")), two, more), "requires the `thinking-binding-controls-2026-08-01`"},
	} {
		err := providertest.ValidateAnthropic([]byte(c.body))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestAnthropicServer(t *testing.T) {
	for _, model := range []string{"claude-opus-4-5", "claude-opus-5-5"} {
		s := providertest.Anthropic(
			providertest.Reply{Thinking: "hm", Text: "I look.", Calls: []providertest.Call{{Name: "bash", Arguments: `{"command":"ls"}`}, {Name: "pwd"}}},
			providertest.Reply{Status: 529},
			providertest.Reply{Text: "Two files."})
		defer s.Close()
		first := post(t, s, "/v1/messages", askModel(model, "", hi), 200)
		content, _ := json.Marshal(first["content"])
		blocks := first["content"].([]any)
		if first["stop_reason"] != "tool_use" || len(blocks) != 4 || first["model"] != model {
			t.Fatalf("first answer %v", first)
		}
		refused := post(t, s, "/v1/messages", askModel(model, "", hi, role("assistant", string(content)), more), 400)
		if fault := refused["error"].(map[string]any); refused["type"] != "error" || !strings.Contains(fault["message"].(string), "`tool_use` ids were found without") {
			t.Errorf("refusal %v", refused)
		}
		results := user(result(blocks[2].(map[string]any)["id"].(string)), result(blocks[3].(map[string]any)["id"].(string)))
		next := askModel(model, "", hi, role("assistant", string(content)), results)
		if busy := post(t, s, "/v1/messages", next, 529); busy["error"].(map[string]any)["type"] != "overloaded_error" {
			t.Errorf("an error reply is %v", busy)
		}
		second := post(t, s, "/v1/messages", next, 200)
		if second["stop_reason"] != "end_turn" || second["id"] == first["id"] {
			t.Errorf("second answer %v", second)
		}
		post(t, s, "/v1/messages", next, 200)
		if got := s.Requests(); len(got) != 5 || string(got[1]) == "" || string(got[2]) != next {
			t.Errorf("%d requests were kept", len(got))
		}
	}
}

func TestAnthropicFunc(t *testing.T) {
	s := providertest.AnthropicFunc(func(body []byte) providertest.Reply {
		if strings.Contains(string(body), "tools") {
			return providertest.Reply{Text: "agent"}
		}
		return providertest.Reply{Text: "summary"}
	})
	defer s.Close()
	for _, c := range []struct{ fields, want string }{{"", "summary"}, {`,"tools":[]`, "agent"}} {
		got := post(t, s, "/v1/messages", askModel("m", c.fields, hi), 200)
		if text := got["content"].([]any)[0].(map[string]any)["text"]; text != c.want {
			t.Errorf("with %q: %v, want %s", c.fields, text, c.want)
		}
	}
	post(t, s, "/v1/messages", askModel("m", `,"stream":true`, hi), http.StatusNotImplemented)
}

func post(t *testing.T, s *providertest.Server, path, body string, status int) map[string]any {
	t.Helper()
	res, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got map[string]any
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || res.StatusCode != status {
		t.Fatalf("%s: status %d, want %d: %v %v\n%s", path, res.StatusCode, status, err, got, body)
	}
	return got
}
