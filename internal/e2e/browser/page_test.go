package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// patience is how long a page may take for what a person waits for.
const patience = 2 * time.Minute

// A view is how a person looks at a page. The zero view is a wide light window with
// JavaScript.
type view struct {
	width    int64 // of the window in CSS pixels; 0 means 1280
	dark     bool
	noScript bool
}

// views are the widths and themes in which every page is seen.
var views = []view{{width: 1280}, {width: 360, dark: true}, {width: 1280, dark: true}, {width: 360}, {width: 768, dark: true}, {width: 768}}

func (v view) String() string {
	if v.width == 0 {
		v.width = 1280
	}
	name := fmt.Sprintf("%d-light", v.width)
	if v.dark {
		name = fmt.Sprintf("%d-dark", v.width)
	}
	if v.noScript {
		name += "-noscript"
	}
	return name
}

// A tab is a page in the browser. Its methods fail the test when they cannot do what they
// say. At the end of the test everything that its watch found and the test did not expect
// is a failure. The methods are for one goroutine.
type tab struct {
	*watch
	t    testing.TB
	ctx  context.Context
	view view
	dir  string // where downloads go
}

// open opens a tab of a person who was never here: no cookie, nothing cached. The origin
// is that of the server, such as http://127.0.0.1:8080.
func open(t testing.TB, origin string, v view) *tab {
	t.Helper()
	testkit.Must(t, startBrowser())
	return newTab(t, theBrowser, origin, v, chromedp.WithNewBrowserContext())
}

// another opens another tab of the same person.
func (p *tab) another() *tab {
	p.t.Helper()
	return newTab(p.t, p.ctx, p.origin, p.view)
}

func newTab(t testing.TB, parent context.Context, origin string, v view, options ...chromedp.ContextOption) *tab {
	t.Helper()
	u, err := url.Parse(origin)
	must(t, err)
	p := &tab{watch: newWatch(u.Scheme + "://" + u.Host), t: t, dir: t.TempDir()}
	ctx, closeTab := chromedp.NewContext(parent, append(options, chromedp.WithListener(p.listen))...)
	p.ctx = ctx
	t.Cleanup(closeTab)
	testkit.Must(t, chromedp.Do(ctx))
	p.handleDialogs(ctx)
	t.Cleanup(p.end)
	call(p, audits.Enable, cdp.Empty{})
	on := true
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	_, err = chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: p.person(), DownloadPath: p.dir, EventsEnabled: &on,
	})
	must(t, err)
	if v.noScript {
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	p.look(v)
	return p
}

// person returns the browser context of the person, which has the cookies.
func (p *tab) person() cdp.BrowserContextID { return chromedp.FromContext(p.ctx).BrowserContextID }

// call runs a command of the DevTools protocol on the tab.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	result, err := try(p, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

func try[P, R any](p *tab, command cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Call(ctx, command, params)
}

// look changes the width and the theme of the window.
func (p *tab) look(v view) {
	p.t.Helper()
	width, height, theme := v.width, int64(900), "light"
	if width == 0 {
		width = 1280
	}
	if width < 600 {
		height = 740
	}
	if v.dark {
		theme = "dark"
	}
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	v.width = width
	p.view = v
}

// visit opens a path of the server, or a whole URL, and waits until it has loaded.
func (p *tab) visit(path string) {
	p.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = p.origin + path
	}
	p.loading(path, func() {
		if got := call(p, page.Navigate, page.NavigateParams{URL: path}); got.ErrorText != "" && !got.IsDownload {
			p.t.Fatalf("opening %s: %s", path, got.ErrorText)
		}
	})
}

// reload loads the page again.
func (p *tab) reload() {
	p.t.Helper()
	p.loading("the same page", func() { call(p, page.Reload, page.ReloadParams{}) })
}

// loading does something, and waits until another page has loaded.
func (p *tab) loading(what string, do func()) {
	p.t.Helper()
	before := p.loadCount()
	do()
	if !p.wait(patience, func() bool { return p.loadCount() > before }) {
		p.t.Fatalf("%v after %s no other page has loaded; the page is still %s, %s", patience, what, p.where(), evaluate[string](p, "document.readyState"))
	}
}

// wait asks again and again until ok or until the time is over. It asks less often with
// time, because an answer costs the browser much.
func (p *tab) wait(limit time.Duration, ok func() bool) bool {
	pause := 5 * time.Millisecond
	for began := time.Now(); !ok(); time.Sleep(pause) {
		if time.Since(began) > limit {
			return ok()
		}
		pause = min(pause*3/2, 100*time.Millisecond)
	}
	return true
}

// where returns the path and the query of the page.
func (p *tab) where() string {
	p.t.Helper()
	return strings.TrimPrefix(evaluate[string](p, "location.href"), p.origin)
}

// evaluate returns the value of a JavaScript expression. Neither the Content Security
// Policy of the page nor switched off JavaScript stops it.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := tryEvaluate[T](p, 0, expression)
	must(p.t, err)
	return value
}

// tryEvaluate evaluates in a world of the page; 0 is the page's own.
func tryEvaluate[T any](p *tab, world runtime.ExecutionContextID, expression string) (value T, err error) {
	on := true
	got, err := try(p, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: world, ReturnByValue: &on, AwaitPromise: &on, UserGesture: &on,
	})
	switch {
	case err != nil:
		return value, err
	case got.ExceptionDetails != nil:
		return value, fmt.Errorf("%.60s: %s", expression, exceptionText(got.ExceptionDetails))
	case len(got.Result.Value) == 0:
		return value, nil
	}
	return value, json.Unmarshal(got.Result.Value, &value)
}

// text returns the text that is on screen, with single spaces.
func (p *tab) text() string {
	p.t.Helper()
	return strings.Join(strings.Fields(evaluate[string](p, "document.body ? document.body.innerText : ''")), " ")
}

// see waits until each text is on screen, as one reads it: white space counts as one space.
func (p *tab) see(texts ...string) {
	p.t.Helper()
	for _, want := range texts {
		last := ""
		if !p.wait(patience, func() bool { last = p.text(); return strings.Contains(last, want) }) {
			p.t.Fatalf("after %v %q is not on screen at %s:\n%s", patience, want, p.where(), last)
		}
	}
}

// gone waits until none of the texts is on screen.
func (p *tab) gone(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if !p.wait(patience, func() bool { return !strings.Contains(p.text(), text) }) {
			p.t.Fatalf("after %v %q is still on screen at %s", patience, text, p.where())
		}
	}
}

// shotsVariable names the folder that screenshots go to. Without it there are none.
const shotsVariable = "SCRATCHPAD_SHOTS"

// shot makes a screenshot of the whole page, NAME-WIDTH-THEME.png.
func (p *tab) shot(name string) {
	p.t.Helper()
	dir := os.Getenv(shotsVariable)
	if dir == "" {
		return
	}
	must(p.t, os.MkdirAll(dir, 0o700))
	on := true
	got := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &on})
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\: `, r) {
			return '_'
		}
		return r
	}, name)
	must(p.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%v.png", name, p.view)), got.Data, 0o600))
}

// review checks the page as it is now: axe-core finds nothing, nothing makes it scroll
// sideways, no short word is broken, and no text stands over another. It makes the screenshots.
// It looks at the page in a wide and a narrow view, of which one is dark: half of all pages in
// the first two of views, half in the next two. With SCRATCHPAD_TEST=full, and for screenshots,
// it looks at each in all six. The layout is checked at the widths between, too.
func (p *tab) review(name string) {
	p.t.Helper()
	before := p.view
	for _, v := range viewsOf(name) {
		v.noScript = before.noScript
		if v.width > tight {
			for _, width := range []int64{tight, 768} {
				p.look(view{width: width, dark: v.dark, noScript: v.noScript})
				p.layout()
			}
		}
		p.look(v)
		p.layout()
		p.accessible()
		p.shot(name)
	}
	p.look(before)
}

// tight is the width of a window in which two columns just fit beside each other.
const tight = 1160

// viewsOf returns the views in which a page is reviewed.
func viewsOf(name string) []view {
	if os.Getenv(shotsVariable) != "" {
		return views
	}
	some := views[:2]
	if len(name)%2 == 1 {
		some = views[2:4]
	}
	return testkit.Pick(some, some, views)
}
