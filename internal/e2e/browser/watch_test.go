package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// A request is one that a page sent.
type request struct {
	method, url, kind string // the kind is that of the protocol: Document, Script, EventSource
	status            int64  // 0 until it is answered
}

// A watch sees everything that happens in a tab. Any goroutine may use it.
type watch struct {
	origin  string
	dialogs chan *page.EventJavascriptDialogOpening

	mu       sync.Mutex // guards what follows
	problems []string
	expected []*expectation
	requests []request
	byID     map[network.RequestID]int // the index in requests
	loads    int                       // pages loaded so far
}

type expectation struct {
	text string
	met  bool
}

func newWatch(origin string) *watch {
	return &watch{origin: origin, byID: map[network.RequestID]int{}, dialogs: make(chan *page.EventJavascriptDialogOpening, 100)}
}

// expect says that a problem with the text will happen, at least once.
func (w *watch) expect(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = append(w.expected, &expectation{text: text})
}

// allow says that a problem with the text may happen.
func (w *watch) allow(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = append(w.expected, &expectation{text: text, met: true})
}

// take returns the problems so far and forgets them, and the expectations too.
func (w *watch) take() (problems []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.problems {
		known := false
		for _, e := range w.expected {
			if strings.Contains(p, e.text) {
				known, e.met = true, true
			}
		}
		if !known {
			problems = append(problems, p)
		}
	}
	for _, e := range w.expected {
		if !e.met {
			problems = append(problems, fmt.Sprintf("expected, but it did not happen: %s", e.text))
		}
	}
	w.problems, w.expected = nil, nil
	return problems
}

// sent returns the requests so far whose URL has the text, in their order.
func (w *watch) sent(text string) []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.requests), func(r request) bool { return !strings.Contains(r.url, text) })
}

func (w *watch) loadCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loads
}

// listen gets the events of the tab in their order. It runs no commands.
func (w *watch) listen(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *page.EventLoadEventFired:
		w.loads++
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" && e.Type == page.NavigationTypeBackForwardCacheRestore {
			w.loads++
		}
	case *page.EventJavascriptDialogOpening:
		w.problem("dialog: %s %q", e.Type, e.Message)
		select {
		case w.dialogs <- e:
		default:
		}
	case *log.EventEntryAdded:
		// What failed to load is told below.
		if e.Entry.Source != log.EntrySourceNetwork && (e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning) {
			w.problem("browser: %s: %s", e.Entry.Level, e.Entry.Text)
		}
	case *runtime.EventConsoleAPICalled:
		w.console(e)
	case *runtime.EventExceptionThrown:
		w.problem("exception: %s", exceptionText(e.ExceptionDetails))
	case *audits.EventIssueAdded:
		if csp := e.Issue.Details.ContentSecurityPolicyIssueDetails; csp != nil {
			w.problem("CSP: %s: %s %s", csp.ViolatedDirective, csp.ContentSecurityPolicyViolationType, csp.BlockedURL)
		} else if e.Issue.Details.QuirksModeIssueDetails != nil {
			w.problem("the page is in quirks mode")
		}
	case *inspector.EventTargetCrashed:
		w.problem("the page crashed")
	default:
		w.listenNetwork(event)
	}
}

func (w *watch) listenNetwork(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.RedirectResponse != nil {
			w.answered(e.RequestID, e.RedirectResponse.Status)
		}
		w.byID[e.RequestID] = len(w.requests)
		w.requests = append(w.requests, request{method: e.Request.Method, url: e.Request.URL, kind: string(e.Type)})
		w.foreign(e.Request.URL)
	case *network.EventWebSocketCreated:
		w.requests = append(w.requests, request{method: "GET", url: e.URL, kind: "WebSocket"})
		w.foreign(e.URL)
	case *network.EventResponseReceived:
		w.answered(e.RequestID, e.Response.Status)
		if e.Response.Status >= 400 {
			w.problem("status: %d of %s", e.Response.Status, e.Response.URL)
		}
	case *network.EventLoadingFailed:
		if i, known := w.byID[e.RequestID]; known && !e.Canceled && e.ErrorText != "net::ERR_ABORTED" {
			w.problem("failed: %s of %s %s", e.ErrorText, w.requests[i].url, e.BlockedReason)
		}
	}
}

func (w *watch) answered(id network.RequestID, status int64) {
	if i, known := w.byID[id]; known {
		w.requests[i].status = status
	}
}

func (w *watch) console(e *runtime.EventConsoleAPICalled) {
	switch e.Type {
	case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
		var words []string
		for _, a := range e.Args {
			words = append(words, strings.Trim(string(a.Value)+a.Description, `"`))
		}
		w.problem("console: %s: %s", e.Type, strings.Join(words, " "))
	}
}

// foreign notes a request that leaves the origin.
func (w *watch) foreign(to string) {
	u, err := url.Parse(to)
	if err != nil {
		w.problem("foreign request: %s: %v", to, err)
		return
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return
	case "ws", "wss":
		u.Scheme = "http" + strings.TrimPrefix(u.Scheme, "ws")
	}
	if u.Scheme+"://"+u.Host != w.origin {
		w.problem("foreign request: %s", to)
	}
}

// problem is called with the mutex held.
func (w *watch) problem(format string, args ...any) {
	if len(w.problems) < 1000 {
		w.problems = append(w.problems, fmt.Sprintf(format, args...))
	}
}

// handleDialogs closes each dialog: no page waits for one.
func (w *watch) handleDialogs(ctx context.Context) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.dialogs:
				_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
			}
		}
	}()
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

// strangers returns the windows, frames and workers of the person that no test opened.
func (p *tab) strangers() ([]string, error) {
	all, err := chromedp.Targets(p.ctx)
	var found []string
	for _, info := range all {
		own := info.Type == "page" && info.OpenerID == "" || info.Type == "tab" || strings.HasPrefix(info.URL, "chrome:")
		if info.BrowserContextID == p.person() && !own {
			found = append(found, fmt.Sprintf("opened: %s %s", info.Type, info.URL))
		}
	}
	return found, err
}

// closeStrangers closes the windows that no test opened.
func closeStrangers(p *tab) {
	p.t.Helper()
	all, err := chromedp.Targets(p.ctx)
	must(p.t, err)
	for _, info := range all {
		if info.BrowserContextID == p.person() && info.OpenerID != "" {
			_, err := chromedp.CallBrowser(p.ctx, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
			must(p.t, err)
		}
	}
}

// settle returns the problems so far, when the browser has told of all that has happened.
func (p *tab) settle() []string {
	_, err := try(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "1"})
	found, lost := p.strangers()
	if err = errors.Join(err, lost); err != nil {
		found = append(found, fmt.Sprintf("the tab is gone: %v", err))
	}
	return append(p.take(), found...)
}

// end reports what went wrong in the tab.
func (p *tab) end() {
	for _, problem := range p.settle() {
		p.t.Errorf("%v: %s", p.view, problem)
	}
	if !p.t.Failed() {
		return
	}
	if got, err := tryEvaluate[string](p, 0, "location.href + '\\n' + document.body.innerText.slice(0, 2000)"); err == nil {
		p.t.Logf("at the end the tab showed %s", got)
		p.shot("failed-" + p.t.Name())
	}
}

// A violation is what axe-core finds. Its JSON is axe-core's.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

// runAxe has the default rules and target-size. iframes are no part of the console.
const runAxe = `axe.run(document, {rules: {"target-size": {enabled: true}}, resultTypes: ["violations"], preload: false})
	.then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help,
		Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary || ""}))})))`

// violations runs axe-core on the page as it is now, in a world of its own: the page does
// not see the script, and its Content Security Policy does not stop it.
func (p *tab) violations() []violation {
	p.t.Helper()
	source, err := axeSource()
	must(p.t, err)
	if p.view.noScript { // axe-core needs timers
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
		defer call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	frame := call(p, page.GetFrameTree, cdp.Empty{}).FrameTree.Frame.ID
	world := call(p, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "axe"}).ExecutionContextID
	loaded, err := tryEvaluate[bool](p, world, "typeof axe === 'object'")
	must(p.t, err)
	if !loaded {
		_, err = tryEvaluate[any](p, world, source+"\n;0")
		must(p.t, err)
	}
	found, err := tryEvaluate[[]violation](p, world, runAxe)
	must(p.t, err)
	return found
}

// accessible checks that axe-core finds no violation.
func (p *tab) accessible() {
	p.t.Helper()
	for _, v := range p.violations() {
		p.t.Errorf("%s at %v: axe-core: %.3000v", p.where(), p.view, v)
	}
}
