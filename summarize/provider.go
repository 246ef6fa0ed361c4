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
	localWindow     = 3_000 // servers on one's own machine often read 4,096 tokens, and drop the rest in silence
	otherWindow     = 24_000
	reasonRoom      = 4 // times the tokens of a summary, which APIs limit together with those of reasoning
)

// ProviderOptions of [Anthropic] and [OpenAI]. The zero value and a key work. It
// prints without the key.
type ProviderOptions struct {
	Key          string        `json:"-"` // sent to BaseURL and nowhere else; "" where a local server wants none
	BaseURL      string        // "": the provider's own. https, or http to a local server
	Model        string        // "": claude-haiku-4-5, gpt-4.1-mini
	MaxTokens    int           // of the summary; 0: 600. A model that reasons gets up to 4 times as many
	Window       int           // tokens of the file for each call; 0: 120,000, with another BaseURL 24,000, with a local one 3,000; at least 4 times MaxTokens
	Timeout      time.Duration // of one call of the model, its retries included; 0: 60 s
	AllowPrivate bool          // BaseURL's name may stand for a private or loopback address, also over plain http, or BaseURL may name a link-local one
}

// String returns the options without what is secret in them.
func (o ProviderOptions) String() string {
	key := "none"
	if o.Key != "" {
		key = "hidden"
	}
	return fmt.Sprintf("{Key:%s BaseURL:%s Model:%s MaxTokens:%d Window:%d Timeout:%s AllowPrivate:%t}",
		key, hide(shownURL(o.BaseURL), o.Key), hide(o.Model, o.Key), o.MaxTokens, o.Window, o.Timeout, o.AllowPrivate)
}

// GoString is String.
func (o ProviderOptions) GoString() string { return o.String() }

// Format writes String for every verb.
func (o ProviderOptions) Format(s fmt.State, _ rune) { io.WriteString(s, o.String()) }

// LogValue is String.
func (o ProviderOptions) LogValue() slog.Value { return slog.StringValue(o.String()) }

// An api is how one kind of provider is spoken to.
type api struct {
	method    string
	variable  string // that holds the key
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
	own          bool // it is asked at the provider's own URL
}

// An answer is what a model said.
type answer struct {
	text  string
	stop  string // why there is no text, or not all; "": the model was done
	read  int64  // tokens; 0: it did not say
	spent int64  // tokens read and written; 0: it did not say
}

// A provider summarises by a model behind a URL.
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
	breaker   breaker
	kept      keptTexts
	reasons   atomic.Bool // the model needs room for that
	hooks     hooks
}

// newProvider checks the options and connects to nothing.
func newProvider(a *api, o ProviderOptions, h hooks) (workspace.Summarizer, error) {
	wrong := func(cause string, args ...any) (workspace.Summarizer, error) {
		return workspace.Summarizer{}, workspace.Errorf(workspace.ErrInvalid, "summaries by %s: %s", a.method, fmt.Sprintf(cause, args...))
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
		return wrong("there is no key: set %s, or give the base URL of a local server, which needs none (for Ollama: --summarizer openai --summary-base-url http://localhost:11434/v1)", a.variable)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) || len(o.Key) > 4096:
		return wrong("the key in %s has spaces, control characters or others that no key has; set it again", a.variable)
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
		return wrong("a window of %d tokens is too small for summaries of %d; it must be %d at least", o.Window, o.MaxTokens, 4*o.MaxTokens)
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
	if !own { // one server's model is not another's of that name
		host, id := serverOf(base)
		model += " at " + host
		prompt += ", " + id
	}
	return workspace.Summarizer{Method: a.method, Model: model, Prompt: prompt, Remote: true, Summarize: p.summarize, Estimate: p.estimate}, nil
}

// serverOf returns the host of a base URL, and what tells the servers of one host
// apart without their paths, which may be secret.
func serverOf(base string) (host, id string) {
	u, err := url.Parse(base)
	if err != nil {
		panic(err) // parseBase has made it
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
