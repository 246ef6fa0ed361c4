package summarize

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

const (
	userAgent   = "scratchpad"
	mostAnswer  = 1 << 20 // bytes
	mostError   = 64 << 10
	mostHeader  = 64 << 10
	connectTime = 10 * time.Second
)

// hooks are what tests replace. The zero value is for real use.
type hooks struct {
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	dialer net.Dialer // its Control is called after the addressRule
	roots  *x509.CertPool
}

func (h hooks) withDefaults() hooks {
	if h.now == nil {
		h.now = time.Now
	}
	if h.wait == nil {
		h.wait = func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-t.C:
				return nil
			}
		}
	}
	if h.dialer.Timeout == 0 {
		h.dialer.Timeout = connectTime
	}
	return h
}

// newTransport returns a transport that connects only to addresses that the rule
// allows. It uses no proxy, which would connect in its place. It accepts no
// compression, so that a small answer cannot become a large one. It is used without
// an http.Client, which would follow redirects.
func newTransport(rule addressRule, h hooks) *http.Transport {
	dialer := h.dialer
	dialer.ControlContext = rule.control(h.dialer.Control)
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
		TLSClientConfig: &tls.Config{RootCAs: h.roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: connectTime,
		MaxResponseHeaderBytes: mostHeader, IdleConnTimeout: 30 * time.Second,
	}
}

// send makes one try. If a request is sent but not answered, its cost is not known.
// The tokens that were sent are counted then, so that a limit on spending holds.
func (p *provider) send(ctx context.Context, body []byte, sent int) (answer, *trouble) {
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { written.Store(w.Err == nil) },
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return answer{}, p.fails("the base URL is not usable")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", userAgent)
	p.api.authorize(r.Header, p.key)
	resp, err := p.transport.RoundTrip(r)
	if err != nil {
		t := p.unreachable(err)
		if written.Load() {
			t.spent = int64(sent) // the provider may have read it
		}
		return answer{}, t
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return answer{}, p.refusal(resp)
	}
	a, t := p.read(resp)
	if t != nil {
		t.spent = int64(sent) // the provider has read it
		return answer{}, t
	}
	if a.spent == 0 {
		a.spent = int64(sent + tokens.Estimate(a.text))
	}
	return a, nil
}

// read decodes an answer of bounded size.
func (p *provider) read(resp *http.Response) (answer, *trouble) {
	failed := func(text, said string) (answer, *trouble) {
		return answer{}, p.fails("%s (%s)", text, p.says(said))
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	switch {
	case err != nil:
		_, t := failed("the connection broke within the answer", err.Error())
		t.retry = true
		return answer{}, t
	case len(text) > mostAnswer:
		return failed("the answer is too long; check the base URL", fmt.Sprintf("longer than %d bytes", mostAnswer))
	}
	a, err := p.api.decode(text)
	if err != nil {
		return failed("the answer does not have the form of this API; check the base URL", err.Error())
	}
	return a, nil
}

// unreachable returns the trouble of a request without an answer.
func (p *provider) unreachable(err error) *trouble {
	refused, isRefused := errors.AsType[*refusedAddress](err)
	op, isOp := errors.AsType[*net.OpError](err)
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isRefused:
		return p.fails("%s", p.says(refused.Error()))
	case isOp && op.Op == "dial":
		return p.fails("no connection: %s; check that the server is running, the base URL and the network",
			p.says(op.Err.Error()))
	case badCertificate || noTLS:
		return p.fails("no connection by TLS: %s; check the base URL", p.says(err.Error()))
	}
	t := p.fails("the connection broke: %s", p.says(err.Error()))
	t.retry = true
	return t
}

// refusal returns the trouble of an answer whose status is not 200.
func (p *provider) refusal(resp *http.Response) *trouble {
	code, said := p.message(resp)
	t := p.fails("%d, %s", resp.StatusCode, p.advice(resp.StatusCode, code, said))
	if said != "" && resp.StatusCode != http.StatusUnauthorized { // such messages quote keys
		t.text += ` (it says: "` + said + `")`
	}
	t.after = retryAfter(resp.Header, p.hooks.now())
	switch resp.StatusCode {
	case http.StatusTooManyRequests, 500, 502, 503, 504, 529:
		t.retry = !spentOut(code, said)
	}
	return t
}

// advice returns what a status means and what to do.
func (p *provider) advice(status int, code, said string) string {
	switch {
	case status >= 300 && status < 400:
		return "redirects are not followed; set the base URL to the address of the API itself"
	case status == http.StatusPaymentRequired || spentOut(code, said):
		return "the account has no credit left or has reached its spending limit; change that before you try again"
	case (status == http.StatusUnauthorized || status == http.StatusForbidden) && p.key == "":
		return "the server requires a key: set " + p.api.variable + ", or correct the base URL"
	case status == http.StatusUnauthorized:
		return "the key in " + p.api.variable + " is refused; set a valid one"
	case status == http.StatusForbidden:
		return "the key in " + p.api.variable + " may not use the model " + p.shownModel() +
			"; set --summary-model or another key"
	case status == http.StatusNotFound:
		return "the server does not know the model " + p.shownModel() + "; set --summary-model, or correct the base URL"
	case status == http.StatusRequestEntityTooLarge, status == http.StatusBadRequest && tooLong(code, said):
		return "the text is too long for the model " + p.shownModel() + "; set a smaller window (--summary-window)"
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return "the request is refused; check the model (--summary-model) and the base URL"
	case status == http.StatusTooManyRequests:
		return "too many requests or tokens for this account"
	case status >= 500:
		return "the server is overloaded or failing; try again later"
	}
	return "this API has no such status; check the base URL"
}

// spentOut reports whether a refusal says that the account has no money left. A
// retry does not help then. Anthropic says so only in the message.
func spentOut(code, said string) bool {
	return code == "insufficient_quota" || code == "billing_error" || code == "enforced_spend_limit_reached" ||
		strings.HasPrefix(said, "Your credit balance is too low")
}

// tooLong reports whether a refusal says that the text exceeds the context of the
// model. Anthropic and vLLM say so only in the message.
func tooLong(code, said string) bool {
	return code == "context_length_exceeded" || strings.Contains(said, "prompt is too long") ||
		strings.Contains(said, "maximum context length")
}

// message returns the code and the message in the body of a refusal. Each is "" if
// there is none.
func (p *provider) message(resp *http.Response) (code, said string) {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, mostError)) // a part of the message is shown too
	code, text := decodeError(body)
	return p.says(code), p.says(text)
}

// decodeError reads the forms in which providers and servers report an error.
func decodeError(body []byte) (code, message string) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || !utf8.ValidString(text) {
			return "", "" // an HTML page, JSON that was cut, or a compressed text
		}
		return "", text
	}
	inner := top
	var object map[string]json.RawMessage
	if json.Unmarshal(top["error"], &object) == nil && object != nil {
		inner = object
	}
	var details map[string]json.RawMessage
	json.Unmarshal(inner["details"], &details)
	code = firstText(details["error_code"], inner["code"], inner["type"])
	return code, firstText(inner["message"], top["error"], top["message"], top["detail"])
}

// firstText returns the first of some values that is a text.
func firstText(values ...json.RawMessage) string {
	for _, v := range values {
		var text string
		if json.Unmarshal(v, &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
