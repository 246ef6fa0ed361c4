package summarize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const secret = "sk-test-Zq81LmXw09PbVt55RhKd-Yc77NfJe3"

var apis = []*api{&anthropicAPI, &openaiAPI}

// A fake is a provider on loopback.
type fake struct {
	*httptest.Server
	asked atomic.Int64
	mu    sync.Mutex // guards the rest
	last  *http.Request
	body  []byte
}

func newFake(t *testing.T, answer http.HandlerFunc) *fake {
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.last, f.body = r, body
		f.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// good is the answer of either API with a text.
func good(a *api, text, stop string, in, out int) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	if a.method == "anthropic" {
		return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}],"stop_reason":%q,"stop_sequence":null,`+
			`"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":%d,"service_tier":"standard"}}`, quoted, stop, in, out)
	}
	stop = map[string]string{"end_turn": "stop", "max_tokens": "length"}[stop]
	return fmt.Sprintf(`{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null},`+
		`"logprobs":null,"finish_reason":%q}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, quoted, stop, in, out, in+out)
}

func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, text)
	}
}

// pauses records waits, which take no time.
type pauses struct {
	mu   sync.Mutex // guards the rest
	list []time.Duration
}

func (p *pauses) wait(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, d)
	return ctx.Err()
}

func summarizer(t *testing.T, a *api, o ProviderOptions, h hooks) workspace.Summarizer {
	t.Helper()
	s, err := newProvider(a, o, h)
	testkit.Must(t, err)
	return s
}

func request(content string) workspace.SummaryRequest {
	return workspace.SummaryRequest{
		Path: "notes/plan.md", Content: content, Progress: func(int, int) {},
	}
}

// checkError checks what holds for every error of a call.
func checkError(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil:
		t.Fatal("no error")
	case !errors.Is(err, workspace.ErrProvider):
		t.Errorf("not ErrProvider: %v", err)
	case len(err.Error()) > 900:
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
	if strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("agents see the address of the server: %v", err)
	}
	checkHidden(t, fmt.Sprintf("%v|%+v|%#v|%q", err, err, err, err))
	for _, r := range err.Error() {
		if r < ' ' || r == 0x7f || r == 0x202e {
			t.Errorf("a control character in %q", err)
		}
	}
}

// checkHidden looks for the key and for any eight characters of it.
func checkHidden(t *testing.T, text string) {
	t.Helper()
	for i := range len(secret) - 7 {
		if strings.Contains(strings.ToLower(text), strings.ToLower(secret[i:i+8])) {
			t.Fatalf("%q shows %q of the key", text, secret[i:i+8])
		}
	}
}

func TestSummaries(t *testing.T) {
	for _, a := range apis {
		f := newFake(t, answering(good(a, "A plan.\nLines 1-3: goals.", "end_turn", 1200, 80)))
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL + "/v1"}, hooks{})
		if s.Method != a.method || s.Model != a.model+" at "+strings.TrimPrefix(f.URL, "http://") || !s.Remote || !strings.HasPrefix(s.Prompt, promptVersion+", ") {
			t.Fatalf("%+v", s)
		}
		got, err := s.Summarize(t.Context(), request(strings.Repeat("one line\n", 300)))
		if want := (workspace.SummaryText{Text: "A plan.\nLines 1-3: goals.", Spent: 1280}); err != nil || got != want {
			t.Fatalf("%s: %+v, %v, want %+v", a.method, got, err, want)
		}
	}
}

func TestSpent(t *testing.T) {
	for name, c := range map[string]struct {
		api         *api
		text        string
		least, most int64
	}{
		"cache tokens count":   {&anthropicAPI, `{"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":5}}`, 3215, 3215},
		"null cache tokens":    {&anthropicAPI, `{"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":null,"cache_read_input_tokens":null,"output_tokens":5}}`, 15, 15},
		"no usage: estimated":  {&anthropicAPI, `{"content":[{"type":"text","text":"x"}]}`, 500, 2000},
		"negative: estimated":  {&anthropicAPI, `{"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":-5,"output_tokens":-1}}`, 500, 2000},
		"absurd: estimated":    {&openaiAPI, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9000000000000000000,"completion_tokens":1e300}}`, 500, 2000},
		"texts: estimated":     {&openaiAPI, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":"many","completion_tokens":[1]}}`, 500, 2000},
		"usage of no object":   {&openaiAPI, `{"choices":[{"message":{"content":"x"}}],"usage":null}`, 500, 2000},
		"floats":               {&openaiAPI, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":900.0,"completion_tokens":1e1}}`, 910, 910},
		"text in three blocks": {&anthropicAPI, `{"content":[{"type":"thinking","thinking":"no","text":"no"},{"type":"text","text":"x"},{"type":"new"}],"usage":{"input_tokens":10,"output_tokens":5}}`, 15, 15},
	} {
		f := newFake(t, answering(c.text))
		got, err := summarizer(t, c.api, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{}).Summarize(t.Context(), request(strings.Repeat("a line of text\n", 100)))
		if err != nil || got.Text != "x" || got.Spent < c.least || got.Spent > c.most {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// An answer that was cut, is too long or has controls is made presentable.
func TestAnswerIsPresentable(t *testing.T) {
	for _, c := range []struct{ text, stop, want string }{
		{"Lines 1-50: the goals.\nLines 51-90: the risks.\nLines 91-1", "max_tokens", "Lines 1-50: the goals.\nLines 51-90: the risks.\n[the summary was cut here]"},
		{"<think>\nhm\n</think>\n\x1b[31mred\x00 text\r\n\tmore\u0085 ", "end_turn", "[31mred text\n\tmore"},
		{strings.Repeat("It says more.\n", 5000), "end_turn", strings.Repeat("It says more.\n", 23) + "[the summary was cut here]"},
	} {
		for _, a := range apis {
			f := newFake(t, answering(good(a, c.text, c.stop, 500, 600)))
			got, err := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL, MaxTokens: 100}, hooks{}).Summarize(t.Context(), request("text"))
			if err != nil || got.Text != c.want {
				t.Errorf("%s: %q, %v", a.method, got.Text, err)
			}
		}
	}
}

func TestServerThatReadAPart(t *testing.T) {
	f := newFake(t, answering(good(&openaiAPI, "x", "end_turn", 2048, 6)))
	got, err := summarizer(t, &openaiAPI, ProviderOptions{BaseURL: f.URL, Window: 30_000}, hooks{}).Summarize(t.Context(), request(strings.Repeat("a line of text\n", 3000)))
	checkError(t, err)
	if !strings.Contains(err.Error(), "read 2048 of about") || got.Spent != 2054 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOptionsHideTheKey(t *testing.T) {
	o := ProviderOptions{Key: secret, BaseURL: "https://user:" + secret + "@gateway.example/v1?k=" + secret, Model: secret}
	nested := struct{ Options any }{o}
	var text strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
		fmt.Fprintf(&text, verb+verb+verb, o, &o, nested)
	}
	log := slog.New(slog.NewTextHandler(&text, nil))
	log.Info("options", "value", o, "pointer", &o)
	log = slog.New(slog.NewJSONHandler(&text, nil))
	log.Info("options", "value", o)
	o.BaseURL, o.Model = "", "m"
	encoded, err := json.Marshal(o)
	testkit.Must(t, err)
	checkHidden(t, text.String()+string(encoded))
	checkHidden(t, strings.ToUpper(text.String()))
	if hex := fmt.Sprintf("%x", secret); strings.Contains(text.String(), hex) {
		t.Error("the key in hex")
	}
}

func TestWrongOptions(t *testing.T) {
	for name, c := range map[string]struct {
		o    ProviderOptions
		want string
	}{
		"no key":             {ProviderOptions{}, "set OPENAI_API_KEY"},
		"no key, own host":   {ProviderOptions{BaseURL: "https://API.openai.com:443/v1", AllowPrivate: true}, "set OPENAI_API_KEY"},
		"no key, far away":   {ProviderOptions{BaseURL: "https://gateway.example/v1"}, "set OPENAI_API_KEY"},
		"key with a newline": {ProviderOptions{Key: "sk-\nX: y"}, "the key in OPENAI_API_KEY has"},
		"model":              {ProviderOptions{Key: "k", Model: "a\x00b"}, "model's name"},
		"negative":           {ProviderOptions{Key: "k", Timeout: -1}, "negative"},
		"small window":       {ProviderOptions{Key: "k", Window: 2000, MaxTokens: 600}, "too small"},
		"user":               {ProviderOptions{Key: "k", BaseURL: "https://" + secret + "@x.example"}, "no user"},
		"no scheme":          {ProviderOptions{Key: "k", BaseURL: "localhost:11434"}, "must be https"},
		"plain":              {ProviderOptions{Key: "k", BaseURL: "http://gateway.example/v1"}, "use https"},
		"plain and public":   {ProviderOptions{Key: "k", BaseURL: "http://8.8.8.8/v1", AllowPrivate: true}, "use https"},
	} {
		_, err := OpenAI(c.o)
		if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkHidden(t, err.Error())
	}
	for _, base := range []string{"http://localhost:11434/v1", "http://127.0.0.1:8000", "http://[::1]:1/v1", "http://192.168.1.9:8000/v1", "https://localhost"} {
		if _, err := OpenAI(ProviderOptions{BaseURL: base}); err != nil {
			t.Errorf("%s wants no key: %v", base, err)
		}
	}
}

// Summaries of different servers have different models or prompts. Different ways to
// write the URL of one server do not.
func TestServersAreApart(t *testing.T) {
	made := func(base string) string {
		s := summarizer(t, &openaiAPI, ProviderOptions{Key: secret, BaseURL: base, Model: "m"}, hooks{})
		return s.Model + ", " + s.Prompt
	}
	a := made("https://r.example.com/deployments/a")
	if got := made("https://R.example.com:443/deployments/a/"); got != a {
		t.Errorf("the URL in other words makes %q, want %q", got, a)
	}
	for _, other := range []string{"https://r.example.com/deployments/b", "https://r.example.com:8443/deployments/a", "https://s.example.com/deployments/a", ""} {
		if got := made(other); got == a || strings.Contains(got, "deployments") {
			t.Errorf("%s makes %q too, or shows its path", other, got)
		}
	}
}
