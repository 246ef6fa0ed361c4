package providertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

func gemini(version string, contents ...string) string {
	return fmt.Sprintf(`{"model":"models/gemini-%s-pro","contents":[%s]}`, version, strings.Join(contents, ","))
}

func g25(contents ...string) string { return gemini("2.5", contents...) }
func g3(contents ...string) string  { return gemini("3", contents...) }

func content(role string, parts ...string) string {
	return fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, strings.Join(parts, ","))
}

func words(s string) string { return fmt.Sprintf(`{"text":%q}`, s) }

const (
	fcall   = `{"functionCall":{"name":"bash","args":{}}}`
	fresult = `{"functionResponse":{"name":"bash","response":{"output":"ok"}}}`
)

func signed(signature string) string {
	return with(fcall, fmt.Sprintf(`"thoughtSignature":%q`, signature))
}

var (
	gUser   = content("user", words("hi"))
	gModel  = content("model", words("yes"))
	gCall   = content("model", fcall)
	gTwo    = content("model", fcall, fcall)
	gResult = content("user", fresult)
	gSigned = content("model", signed(providertest.ThoughtSignature("t")), fcall)
	gBoth   = content("user", fresult, fresult)
)

var geminiRulings = []ruling{
	{"no JSON", `[`, "Invalid JSON payload", g25(gUser)},
	{"no contents", g25(), "contents is not specified", g25(gUser)},
	{"role", g25(gUser, content("system", words("s"))), "^Please use a valid role: user, model.", g25(gUser, content("", words("s")))},
	{"no parts", g25(gUser, content("model"), gUser), "^* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", g25(gUser, gModel, gUser)},
	{"empty part", g25(content("user", `{}`)), "^* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field", g25(content("user", `{"fileData":{"fileUri":"https://a/b"}}`))},
	{"empty text", g25(gUser, content("model", words("x"), words("")), gUser), "contents[1].parts[1].data: required oneof field", g25(gUser, content("model", words("x"), `{"text":"","thoughtSignature":"`+providertest.ThoughtSignature("")+`"}`), gUser)},
	{"call without name", g25(gUser, content("model", `{"functionCall":{"args":{}}}`), gResult), "contents[1].parts[0].function_call.name: Name cannot be empty.", g25(gUser, content("model", `{"functionCall":{"name":"f"}}`), gResult)},
	{"response without name", g25(gUser, gCall, content("user", `{"functionResponse":{"response":{}}}`)), "contents[2].parts[0].function_response.name: Name cannot be empty.", g25(gUser, gCall, gResult)},
	{"arguments", g25(gUser, content("model", `{"functionCall":{"name":"f","args":"{}"}}`), gResult), "Invalid value at 'contents[1].parts[0].function_call.args'", g25(gUser, gCall, gResult)},
	{"response as text", g25(gUser, gCall, content("user", `{"functionResponse":{"name":"f","response":"ok"}}`)), "Invalid value at 'contents[2].parts[0].function_response.response'", g25(gUser, gCall, gResult)},

	{"first is the model", g25(gModel, gUser), "^Please ensure that multiturn requests ends with a user role", g25(gUser, gModel, gUser)},
	{"first is a call", g25(gCall, gResult), "^Please ensure that function call turn comes immediately after a user turn or after a function response turn.", g25(gUser, gCall, gResult)},
	{"call after the model", g25(gUser, gModel, gCall, gResult), "^Please ensure that function call turn comes immediately after", g25(gUser, gModel, gUser, gCall, gResult)},
	{"call from the user", g25(gUser, content("user", fcall), gResult), "^Please ensure that function call turn comes immediately after", g25(gUser, gCall, gResult)},
	{"response without call", g25(gResult, gModel, gUser), "^Please ensure that function response turn comes immediately after a function call turn.", g25(gUser, gModel, gUser)},
	{"response after an answer", g25(gUser, gCall, gResult, gModel, gResult), "^Please ensure that function response turn comes immediately after", g25(gUser, gCall, gResult, gModel, gUser)},
	{"response from the model", g25(gUser, gCall, content("model", fresult)), "^Please ensure that function response turn comes immediately after", g25(gUser, gCall, gResult)},
	{"call without response", g25(gUser, gCall, gUser), "^Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", g25(gUser, gCall, gResult, gUser)},
	{"call at the end", g25(gUser, gCall), "^Please ensure that the number of function response parts", g25(gUser, gCall, gResult)},
	{"one response of two", g25(gUser, gTwo, gResult), "^Please ensure that the number of function response parts", g25(gUser, gTwo, gBoth)},
	{"responses in two contents", g25(gUser, gTwo, gResult, gResult), "^Please ensure that the number of function response parts", g25(gUser, gTwo, gBoth)},
	{"two responses of one", g25(gUser, gCall, gBoth), "^Please ensure that the number of function response parts", g25(gUser, gCall, gResult)},

	{"no signature", g3(gUser, gCall, gResult), "^Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:bash` , position 2.", g3(gUser, gSigned, gBoth)},
	{"signature on the second call", g3(gUser, content("model", fcall, signed(providertest.ThoughtSignature("t"))), gBoth), "^Function call is missing a thought_signature", g3(gUser, gSigned, gBoth)},
	{"no signature in the second step", g3(gUser, gSigned, gBoth, gCall, gResult), "`default_api:bash` , position 4.", g3(gUser, gSigned, gBoth, content("model", signed("skip_thought_signature_validator")), gResult)},
	{"changed signature", g3(gUser, content("model", signed("AAAA")), gResult), "^Corrupted thought signature.", g3(gUser, gSigned, gBoth)},
	{"ends with the model", gemini("3.6", gUser, gModel), "^Requests ending with a model turn are not supported.", gemini("3.6", gUser, gModel, gUser)},
}

func TestGeminiRefuses(t *testing.T) {
	for _, c := range geminiRulings {
		t.Run(c.name, func(t *testing.T) { c.check(t, providertest.ValidateGemini) })
	}
}

func TestGeminiAccepts(t *testing.T) {
	for name, body := range map[string]string{
		"no role, no model":      `{"contents":[{"parts":[{"text":"hi"}]}]}`,
		"contents in a row":      g25(gUser, gUser, gModel, gModel, gUser),
		"old turns unsigned":     g3(gUser, gCall, gResult, gModel, gUser),
		"old turns, new turn":    g3(gUser, gCall, gResult, gModel, gUser, gSigned, gBoth),
		"text beside a response": g25(gUser, gCall, content("user", fresult, words("more"))),
		"steps":                  g25(gUser, gCall, gResult, gTwo, gBoth, gModel, gUser),
		"ends with the model":    gemini("3.5", gUser, gModel),
		"a picture":              g25(content("user", `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`)),
	} {
		if err := providertest.ValidateGemini([]byte(body)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
}

func TestGeminiServer(t *testing.T) {
	s := providertest.Gemini(providertest.Reply{Thinking: "hm", Text: "I look.", Calls: []providertest.Call{{Name: "bash"}, {Name: "pwd"}}}, providertest.Reply{Status: 503})
	defer s.Close()
	const path = "/v1beta/models/gemini-3-pro-preview:generateContent"
	body := func(contents ...string) string { return `{"contents":[` + strings.Join(contents, ",") + `]}` }
	first := post(t, s, path, body(gUser), 200)
	said, _ := json.Marshal(first["candidates"].([]any)[0].(map[string]any)["content"])
	refused := post(t, s, path, body(gUser, string(said), gUser), 400)
	if fault := refused["error"].(map[string]any); fault["status"] != "INVALID_ARGUMENT" || fault["code"] != 400.0 || !strings.Contains(fault["message"].(string), "number of function response parts") {
		t.Errorf("refusal %v", refused)
	}
	post(t, s, path, body(gUser, gCall, gResult), 400) // the model in the address needs signatures
	if busy := post(t, s, path, body(gUser, string(said), gBoth), 503); busy["error"].(map[string]any)["status"] != "UNAVAILABLE" {
		t.Errorf("an error reply is %v", busy)
	}
	post(t, s, path, body(gUser, string(said), gBoth), 200)
	post(t, s, strings.Replace(path, "generateContent", "streamGenerateContent", 1), body(gUser), http.StatusNotImplemented)
	chosen := providertest.GeminiFunc(func(body []byte) providertest.Reply { return providertest.Reply{Status: 500 + len(body)%2} })
	defer chosen.Close()
	post(t, chosen, path, body(gUser), 500+len(body(gUser))%2)
	if got := s.Requests(); len(got) != 6 || string(got[0]) != body(gUser) {
		t.Errorf("%d requests were kept, the first %s", len(got), got[0])
	}
}
