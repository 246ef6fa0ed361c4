package summarize

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	providerTokens  = 600
	providerTimeout = time.Minute
	localWindow     = 3_000 // local servers often read 4,096 tokens, and drop the rest without an error
	otherWindow     = 24_000
	reasonRoom      = 4 // times the tokens of a summary, for models whose limit includes their reasoning
)

// ProviderOptions are the options of [Anthropic] and [OpenAI]. The zero value with a
// Key works. Printing the options, by any verb or a logger, hides the key.
type ProviderOptions struct {
	// Key is sent to BaseURL and nowhere else. It may be empty for a local server.
	Key string `json:"-"`

	// BaseURL is the URL of the API: https, or http for a local server. Empty means
	// the provider's own.
	BaseURL string

	// Model is the name of the model. Empty means claude-haiku-4-5 or gpt-4.1-mini.
	Model string

	// MaxTokens is the length of a summary; 0 means 600. A model that reasons gets up
	// to 4 times as many.
	MaxTokens int

	// Window is how many tokens of the file one call sends. It is at least 4 times
	// MaxTokens. Zero means 120,000; with a BaseURL that is not the provider's own
	// 24,000; with a local one 3,000.
	Window int

	// Timeout is for one call, with its retries; 0 means 60 s.
	Timeout time.Duration

	// AllowPrivate allows that the host name in BaseURL stands for a private or
	// loopback address, also over plain http, and that BaseURL has a link-local
	// address.
	AllowPrivate bool
}

// String returns the options without their secrets.
func (o ProviderOptions) String() string {
	key := "none"
	if o.Key != "" {
		key = "hidden"
	}
	return fmt.Sprintf("{Key:%s BaseURL:%s Model:%s MaxTokens:%d Window:%d Timeout:%s AllowPrivate:%t}",
		key, hide(shownURL(o.BaseURL), o.Key), hide(o.Model, o.Key), o.MaxTokens, o.Window, o.Timeout, o.AllowPrivate)
}

// GoString returns the same as String.
func (o ProviderOptions) GoString() string { return o.String() }

// Format writes String for every verb.
func (o ProviderOptions) Format(s fmt.State, _ rune) { io.WriteString(s, o.String()) }

// LogValue returns the same as String.
func (o ProviderOptions) LogValue() slog.Value { return slog.StringValue(o.String()) }

// An api describes the API of a kind of provider.
type api struct {
	method    string
	variable  string // of the environment, with the key
	base      string // the provider's own URL
	model     string
	window    int
	endpoint  func(base string) string
	authorize func(header http.Header, key string)
	request   func(q question) any
	decode    func(body []byte) (answer, error)
}

// A question is what a model is asked.
type question struct {
	model        string
	system, user string
	maxTokens    int
	own          bool // the URL is the provider's own
}

// An answer is the answer of a model.
type answer struct {
	text  string
	stop  string // why the model stopped early; "" if it did not
	read  int64  // tokens; 0 if not known
	spent int64  // tokens read and written; 0 if not known
}

// A provider makes summaries with a model at a URL.
type provider struct {
	api       *api
	url, host string
	key       string
	model     string
	maxTokens int
	window    int
	timeout   time.Duration
	own       bool
	transport *http.Transport
	reasons   atomic.Bool // the model needs more tokens, for its reasoning
	hooks     hooks
}

// newProvider checks the options. It does not connect.
func newProvider(a *api, o ProviderOptions, h hooks) (workspace.Summarizer, error) {
	wrong := func(cause string, args ...any) (workspace.Summarizer, error) {
		return workspace.Summarizer{}, workspace.Errorf(workspace.ErrInvalid, "summaries by %s: %s", a.method,
			fmt.Sprintf(cause, args...))
	}
	base, rule, err := parseBase(cmp.Or(o.BaseURL, a.base), o.AllowPrivate)
	if err != nil {
		return wrong("%v", err)
	}
	_, theirs, _ := parseBase(a.base, false)
	own := strings.EqualFold(strings.TrimSuffix(rule.host, ":443"), theirs.host)
	local := !own && (rule.local() || o.AllowPrivate)
	o.Key = strings.TrimSpace(o.Key)
	o.Model = cmp.Or(strings.TrimSpace(o.Model), a.model)
	switch {
	case o.Key == "" && !local:
		return wrong("there is no key: set %s, or give the base URL of a local server, which needs none (for "+
			"Ollama: --summarizer openai --summary-base-url http://localhost:11434/v1)", a.variable)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) || len(o.Key) > 4096:
		return wrong("the key in %s has spaces or characters that keys do not have; set it again", a.variable)
	case len(o.Model) > 200 || strings.ContainsFunc(o.Model, func(r rune) bool { return !unicode.IsPrint(r) }):
		return wrong("the model's name must be up to 200 printable characters")
	case o.MaxTokens < 0 || o.Window < 0 || o.Timeout < 0:
		return wrong("MaxTokens, Window and Timeout must not be negative")
	}
	o.MaxTokens = cmp.Or(o.MaxTokens, providerTokens)
	if o.Window == 0 {
		o.Window = max(defaultWindow(a, own, local), 5*o.MaxTokens)
	}
	if o.Window < 4*o.MaxTokens {
		return wrong("a window of %d tokens is too small for summaries of %d tokens; it must be at least %d", o.Window,
			o.MaxTokens, 4*o.MaxTokens)
	}
	p := &provider{
		api: a, url: a.endpoint(base), host: rule.host, key: o.Key, model: o.Model, maxTokens: o.MaxTokens,
		window: o.Window, timeout: cmp.Or(o.Timeout, providerTimeout), own: own, hooks: h.withDefaults(),
	}
	p.transport = newTransport(rule, p.hooks)
	prompt := promptVersion
	if o.MaxTokens != providerTokens {
		prompt = fmt.Sprintf("%s, %d tokens", promptVersion, o.MaxTokens)
	}
	model := o.Model
	if !own { // models of the same name differ between servers
		host, id := serverOf(base)
		model += " at " + host
		prompt += ", " + id
	}
	return workspace.Summarizer{
		Method: a.method, Model: model, Prompt: prompt, Remote: true, Summarize: p.summarize,
	}, nil
}

// serverOf returns the host of a base URL, and an id that differs between servers
// on the same host. The id does not show the path, which may be secret.
func serverOf(base string) (host, id string) {
	u, err := url.Parse(base)
	if err != nil {
		panic(err) // parseBase returned it
	}
	host = strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	sum := sha256.Sum256([]byte(u.Scheme + "://" + host + u.EscapedPath()))
	return host, hex.EncodeToString(sum[:4])
}

func defaultWindow(a *api, own, local bool) int {
	switch {
	case own:
		return a.window
	case local:
		return localWindow
	}
	return otherWindow
}
