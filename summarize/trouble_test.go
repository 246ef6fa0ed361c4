package summarize

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Each case has what a provider does and the error that it must cause.
type troubleCase struct {
	name    string
	do      func(a *api) http.HandlerFunc
	timeout time.Duration
	tries   int64
	want    string
}

func status(code int, body string, header ...string) func(*api) http.HandlerFunc {
	return func(*api) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
}

func raw(write func(net.Conn)) func(*api) http.HandlerFunc {
	return func(*api) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			write(c)
			c.(*net.TCPConn).SetLinger(0) // a reset
			c.Close()
		}
	}
}

// bomb is 64 MiB of zeros, as 64 gzip members that a reader joins.
var bomb = func() string {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	z.Write(make([]byte, 1<<20))
	z.Close()
	return strings.Repeat(member.String(), 64)
}()

var flooded atomic.Int64 // bytes that were sent of endless answers

var troubles = []troubleCase{
	{"hang", func(*api) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	}, 40 * time.Millisecond, 1, "no answer within 40ms"},
	{"slow drip", func(*api) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}
	}, 40 * time.Millisecond, 1, "no answer within 40ms"},
	{"reset in mid-body", raw(func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"content\":[")
	}), 0, 3, "the connection broke within the answer"},
	{"reset at once", raw(func(net.Conn) {}), 0, 3, "the connection broke"},
	{"400", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: wrong"}}`), 0, 1, "400, the request is refused; check the model"},
	{"400 too long", status(400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`), 0, 1, "set a smaller window"},
	{"401", status(401, `{"error":{"type":"authentication_error","message":"invalid x-api-key `+secret+`"}}`), 0, 1, "is refused; set a valid one"},
	{"403", status(403, `{"error":{"type":"permission_error","message":"not yours"}}`), 0, 1, "may not use the model"},
	{"400 no credit", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`), 0, 1, "400, the account has no credit left"},
	{"400 no context", status(400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5400 tokens","type":"BadRequestError","code":400}}`), 0, 1, "set a smaller window"},
	{"404 model", status(404, `{"type":"error","error":{"type":"not_found_error","message":"model: some-model"}}`), 0, 1, "the server does not know the model some-model; set --summary-model"},
	{"400 with addresses", status(400, `{"error":{"message":"http://10.0.0.7:8000 and [fd00::7]:80 are down, see 192.168.1.1, ::1 and std::map at 12:30"}}`), 0, 1,
		`(it says: "http://[address] and [address] are down, see [address], [address] and std::map at 12:30")`},
	{"402", status(402, `{"error":{"type":"billing_error","message":"pay"}}`), 0, 1, "no credit"},
	{"413", status(413, "<html>too large</html>"), 0, 1, "too long for the model some-model; set a smaller window (--summary-window)"},
	{"429 for an hour", status(429, `{"error":{"type":"rate_limit_error","message":"slow down"}}`, "Retry-After", "3600"), 0, 1, `(it says: "slow down"); try again in 1h0m0s, at 2026-09-30T13:00Z`},
	{"429 for two seconds", status(429, "{}", "Retry-After", "2"), 0, 3, "429, too many requests"},
	{"429 no money", status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`), 0, 1, "no credit left"},
	{"429 spending limit", status(429, `{"error":{"message":"m","type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}`), 0, 1, "spending limit"},
	{"500", status(500, `{"error":{"message":"`+secret+`","code":null}}`), 0, 3, `500, the server is overloaded or failing; try again later (it says: "[key]")`},
	{"529", status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), 0, 3, `(it says: "Overloaded")`},
	{"200 of nothing", status(204, ""), 0, 1, "204"},
	{"redirect", status(307, "", "Location", "http://169.254.169.254/"+secret), 0, 1, "redirects are not followed"},
	{"1 GB body", func(*api) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			chunk := bytes.Repeat([]byte(" "), 1<<20)
			for range 1024 {
				n, err := w.Write(chunk)
				flooded.Add(int64(n))
				if err != nil {
					return
				}
			}
		}
	}, 0, 1, "longer than 1048576 bytes"},
	{"1 GB of an error", func(*api) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			chunk := bytes.Repeat([]byte(secret), 1<<15)
			for range 1024 {
				n, err := w.Write(chunk)
				flooded.Add(int64(n))
				if err != nil {
					return
				}
			}
		}
	}, 0, 1, "403"},
	{"gzip bomb", status(200, bomb, "Content-Encoding", "gzip"), 0, 1, "does not have the form of this API"},
	{"big header", status(200, "{}", "X-Big", strings.Repeat("x", 1<<20)), 0, 3, "the connection broke"},
	{"a page", status(200, "<html>"+secret), 0, 1, "does not have the form of this API"},
	{"empty object", status(200, "{}"), 0, 1, "the answer has no text"},
	{"empty text", func(a *api) http.HandlerFunc { return answering(good(a, " \n", "end_turn", 9, 0)) }, 0, 1, "the answer has no text"},
	{"refused", status(200, `{"stop_reason":"refusal","choices":[{"message":{"refusal":"no"}}]}`), 0, 1, "refused to summarise"},
	{"odd stop", status(200, `{"stop_reason":"`+secret+`\u0007","choices":[{"finish_reason":"`+secret+`\u0007"}]}`), 0, 1, "stopped with"},
	{"message of tricks", status(500, `{"error":{"message":"a\u0000b\u001b[31m\u202e\n`+secret[:12]+`\u200b`+secret[12:]+` `+strings.Repeat("long ", 500)+`"}}`), 0, 3, `(it says: "ab[31m [key] long`},
	{"key in pieces", status(400, `{"error":{"message":"Incorrect API key provided: `+secret[:9]+`*****`+strings.ToUpper(secret[20:])+`"}}`), 0, 1, "provided: [key]*****[key]"},
}

var noon = time.Date(2026, 9, 30, 12, 0, 0, 0, time.UTC)

func TestTroubles(t *testing.T) {
	flooded.Store(0)
	for _, a := range apis {
		for _, c := range troubles {
			t.Run(a.method+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				f := newFake(t, c.do(a))
				for range 3 {
					if f.asked.Store(0); c.timeout != 0 {
						f = newFake(t, c.do(a)) // a try of the run before may still reach the old one
					}
					var p pauses
					s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL, Model: "some-model", Timeout: c.timeout}, hooks{wait: p.wait, now: func() time.Time { return noon }})
					_, err := s.Summarize(t.Context(), request("some text\n"))
					checkError(t, err)
					if !strings.Contains(err.Error(), c.want) {
						t.Fatalf("%v\nwant %q", err, c.want)
					}
					if got := f.asked.Load(); got != c.tries && (c.timeout == 0 || got > c.tries) { // the time may be over before it is asked
						t.Fatalf("%d tries, want %d: %v", got, c.tries, err)
					}
					if len(p.list) != int(c.tries)-1 {
						t.Fatalf("pauses %v", p.list)
					}
				}
			})
		}
	}
	t.Cleanup(func() {
		const runs = 2 * 2 * 3
		if most := int64(runs * 12 << 20); flooded.Load() > most {
			t.Errorf("%d bytes of endless answers were taken, want %d at most", flooded.Load(), most)
		}
	})
}

// A refusal leaves the way out to the front end: a tool for a model, a command for a
// person.
func TestRefusedSaysToReadTheFile(t *testing.T) {
	f := newFake(t, status(200, `{"stop_reason":"refusal"}`)(nil))
	s := summarizer(t, &anthropicAPI, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
	_, err := s.Summarize(t.Context(), request("some text\n"))
	var e *workspace.Error
	if !errors.As(err, &e) || e.Way.Do != store.DoReadFile || strings.Contains(err.Error(), "read_file") {
		t.Errorf("%v, %+v", err, e)
	}
}

// A failure that ends within the tries is no error. All tries are counted.
func TestTroubleThatPasses(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"429":   status(429, "{}", "Retry-After", "7")(nil),
		"500":   status(500, "{}")(nil),
		"529":   status(529, "{}")(nil),
		"reset": raw(func(net.Conn) {})(nil),
	} {
		for _, a := range apis {
			var n atomic.Int64
			f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1)%3 != 0 {
					first(w, r)
					return
				}
				answering(good(a, "fine", "end_turn", 10, 1))(w, r)
			})
			for range 5 {
				var p pauses
				got, err := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{wait: p.wait}).Summarize(t.Context(), request("text"))
				least, most := int64(11), int64(11)
				if name == "reset" { // two requests were sent, and are not answered
					least, most = 200, 1000
				}
				if err != nil || got.Text != "fine" || got.Spent < least || got.Spent > most || len(p.list) != 2 {
					t.Fatalf("%s: %+v, %v, pauses %v", name, got, err, p.list)
				}
				low, high := [2]time.Duration{time.Second / 2, time.Second}, [2]time.Duration{time.Second, 2 * time.Second}
				if name == "429" {
					low, high = [2]time.Duration{7 * time.Second, 7 * time.Second}, [2]time.Duration{7 * time.Second, 7 * time.Second}
				}
				for i, pause := range p.list {
					if pause < low[i] || pause > high[i] {
						t.Fatalf("%s: pause %d is %s", name, i, pause)
					}
				}
			}
		}
	}
}

// No connection stays open after a summary, because a Summarizer has no Close.
func TestConnectionsAreClosed(t *testing.T) {
	for _, over := range []string{"http", "https"} {
		closed := make(chan struct{}, 10)
		s := httptest.NewUnstartedServer(answering(good(&openaiAPI, "x", "end_turn", 1500, 5)))
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed <- struct{}{}
			}
		}
		var h hooks
		if over == "https" {
			s.EnableHTTP2 = true
			s.StartTLS()
			h.roots = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		} else {
			s.Start()
		}
		defer s.Close()
		testkit.Must(t, testkit.Err(summarizer(t, &openaiAPI, ProviderOptions{BaseURL: s.URL}, h).Summarize(t.Context(), request("text"))))
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Errorf("%s: the connection is still open", over)
		}
	}
}

// There is no pause that would exceed the timeout, or the caller's deadline.
func TestPauseBeyondTheTimeout(t *testing.T) {
	f := newFake(t, status(503, "{}", "Retry-After", "20")(nil))
	begin := time.Now()
	deadline, cancel := context.WithDeadline(t.Context(), begin.Add(30*time.Second))
	defer cancel()
	for ctx, timeout := range map[context.Context]time.Duration{t.Context(): 30 * time.Second, deadline: 0} {
		var p pauses
		now := begin
		s := summarizer(t, &openaiAPI, ProviderOptions{BaseURL: f.URL, Timeout: timeout}, hooks{wait: func(ctx context.Context, d time.Duration) error {
			now = now.Add(d)
			return p.wait(ctx, d)
		}, now: func() time.Time { return now }})
		_, err := s.Summarize(ctx, request("text"))
		checkError(t, err)
		if len(p.list) != 1 || !strings.Contains(err.Error(), "try again in 20s") {
			t.Errorf("timeout %v: pauses %v, %v", timeout, p.list, err)
		}
	}
}

func TestRefusedWithoutAKey(t *testing.T) {
	for _, code := range []int{401, 403} {
		f := newFake(t, status(code, `{"error":"denied"}`)(nil))
		_, err := summarizer(t, &openaiAPI, ProviderOptions{BaseURL: f.URL}, hooks{}).Summarize(t.Context(), request("text"))
		checkError(t, err)
		if !strings.Contains(err.Error(), "set OPENAI_API_KEY") || strings.Contains(err.Error(), "the key in") {
			t.Error(err)
		}
	}
}

func TestNoServer(t *testing.T) {
	got, err := summarizer(t, &openaiAPI, ProviderOptions{BaseURL: "http://" + testkit.FreeAddress(t)}, hooks{}).Summarize(t.Context(), request("text"))
	checkError(t, err)
	if got.Spent != 0 || !strings.Contains(err.Error(), "check that the server is running") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]string{
		"": "0s", "0": "0s", "-3": "0s", "1e99": "365 days", "NaN": "0s", ".": "0s",
		" 7 ": "7s", "1.5": "2s", "99999999999999999999": "365 days", "31536001": "365 days", "172801": "3 days",
		noon.Add(time.Hour).Format(http.TimeFormat): "1h0m0s", noon.Add(-time.Hour).Format(http.TimeFormat): "0s",
	} {
		if got := shownWait(retryAfter(http.Header{"Retry-After": {value}}, noon)); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// FuzzAnswer reads any bytes as an answer and as an error of a provider.
func FuzzAnswer(f *testing.F) {
	for _, a := range apis {
		f.Add([]byte(good(a, "text", "end_turn", 10, 2)))
		f.Add([]byte(good(a, "text that\nis cut", "max_tokens", 10, 2)))
	}
	for _, c := range []string{"", "{}", "[]", "null", `{"error":{"message":"x","code":3}}`, `{"error":"x"}`, `{"detail":"x"}`, `{"content":[{"type":"text","text":"\ud800"}]}`, "plain " + secret} {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, a := range apis {
			p := &provider{api: a, key: secret, host: "h", model: "m", maxTokens: 50, hooks: hooks{}.withDefaults()}
			got, err := a.decode(body)
			if err == nil {
				if got.spent < 0 || got.read < 0 || got.spent > 4*mostCounted {
					t.Fatalf("%+v", got)
				}
				text, trouble := p.summaryOf(got, p.maxTokens)
				if (trouble == nil) == (text == "") || text != presentable(text) || len(text) > 8*p.maxTokens*3+100 {
					t.Fatalf("%q, %v", text, trouble)
				}
				if trouble != nil {
					checkError(t, trouble.failure())
				}
			}
			code, said := p.message(&http.Response{Body: io.NopCloser(bytes.NewReader(body))})
			for _, text := range []string{code, said} {
				if len([]rune(text)) > mostSaid {
					t.Fatalf("%d characters", len([]rune(text)))
				}
				checkHidden(t, text)
			}
			checkError(t, p.refusal(&http.Response{StatusCode: 400, Body: io.NopCloser(bytes.NewReader(body))}).failure())
		}
	})
}
