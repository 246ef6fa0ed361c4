package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// document is a page that breaks no rule, around some HTML.
func document(body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Page</title></head>` +
		`<body><main><h1>Page</h1>` + body + `</main></body></html>`
}

// serve starts a server whose paths answer with HTML. A path that begins with /csp has a
// Content Security Policy.
func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := pages[r.URL.Path]
		switch {
		case strings.HasPrefix(r.URL.Path, "/csp"):
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:")
		case strings.HasPrefix(r.URL.Path, "/file"):
			w.Header().Set("Content-Disposition", `attachment; filename="plan.md"`)
		}
		switch {
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, body)
		case r.URL.Path == "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		case known:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, document(body))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Whatever goes wrong in a page is found, and nothing else is.
func TestWatchFinds(t *testing.T) {
	t.Parallel()
	other := serve(t, map[string]string{"/x.js": "1"})
	cases := []struct {
		name, path, body string
		want             []string // the beginnings of the problems, in order
	}{
		{"nothing", "/", "<p>fine</p><script>console.log('fine')</script>", nil},
		{"console error", "/", "<script>console.error('broken', 7)</script>", []string{"console: error: broken 7"}},
		{"console warning", "/", "<script>console.warn('odd')</script>", []string{"console: warning: odd"}},
		{"exception", "/", "<script>nowhere()</script>", []string{"exception: ReferenceError"}},
		{"alert", "/", "<script>alert('hi')</script>", []string{`dialog: alert "hi"`}},
		{"missing", "/", "<img src=/none.png alt=''>", []string{"status: 404 of "}},
		{"foreign script", "/", "<script src=" + other + "/x.js></script>", []string{"foreign request: " + other + "/x.js"}},
		{"foreign name", "/", "<img src=http://foreign.test/x.png alt=''>", []string{"failed: net::ERR_NAME_NOT_RESOLVED", "foreign request: http://foreign.test/x.png"}},
		{"foreign fetch", "/", "<script>fetch('" + other + "/x.js', {mode: 'no-cors'})</script>", []string{"foreign request: " + other}},
		{"foreign socket", "/", "<script>new WebSocket('ws" + strings.TrimPrefix(other, "http") + "/')</script>", []string{"foreign request: ws://"}},
		{"foreign frame", "/", "<iframe title=x src=" + other + "/x.js></iframe>", []string{"foreign request: " + other}},
		{"inline script", "/csp", "<script>1</script>", []string{"CSP: script-src-elem: kInlineViolation", "browser: error: "}},
		{"inline style", "/csp", "<p style='color: red'>x</p>", []string{"CSP: style-src-attr: kInlineViolation", "browser: error: "}},
		{"blocked image", "/csp", "<img src=/x.png alt=''>", []string{"CSP: img-src: kURLViolation", "browser: error: ", "failed: "}},
		{"handler", "/csp", "<p onclick='x()'>x</p>", []string{"CSP: script-src-attr: kInlineViolation", "browser: error: "}},
	}
	pages := map[string]string{}
	for i := range cases {
		cases[i].path += fmt.Sprint(i)
		pages[cases[i].path] = cases[i].body
	}
	p := open(t, serve(t, pages), view{})
	for _, c := range cases {
		p.visit(c.path)
		var got []string
		p.wait(patience, func() bool { got = append(got, p.settle()...); return len(got) >= len(c.want) })
		slices.Sort(got)
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

// A problem that is expected is none, and an expectation that nothing meets is one.
func TestExpect(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, map[string]string{"/": "<p>fine</p>"}), view{})
	p.expect("status: 404")
	p.visit("/none")
	if got := p.settle(); len(got) != 0 {
		t.Errorf("with an expectation: %q", got)
	}
	p.expect("status: 409")
	p.visit("/")
	if got := p.settle(); len(got) != 1 || !strings.Contains(got[0], "expected, but it did not happen: status: 409") {
		t.Errorf("with an expectation that is not met: %q", got)
	}
	if got := p.sent("/none"); len(got) != 1 || got[0].method != "GET" || got[0].kind != "Document" || got[0].status != 404 {
		t.Errorf("requests: %+v", got)
	}
	evaluate[any](p, "window.open('/').name")
	if got := p.settle(); len(got) != 1 || !strings.HasPrefix(got[0], "opened: page") {
		t.Errorf("after another window was opened: %q", got)
	}
	closeStrangers(p)
}

// axe-core and the checks of the layout find what is wrong in the page, in its theme and at
// its width.
func TestReviewFinds(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/csp":      "<p>fine <a href=/>a link that stands alone</a></p>",
		"/image":    "<img src=data:,>",
		"/label":    "<input>",
		"/target":   "<style>a { display: inline-block; font-size: 8px; width: 10px; height: 10px }</style><a href=/1>a</a><a href=/2>b</a>",
		"/dark":     "<style>@media (prefers-color-scheme: dark) { p { color: #777; background: #666 } }</style><p>text</p>",
		"/wide":     "<pre>" + strings.Repeat("wide ", 20) + "</pre>",
		"/scroller": "<pre tabindex=0 style='overflow: auto'>" + strings.Repeat("wide ", 200) + "</pre>",
		"/broken":   "<p style='width: 3ch; overflow-wrap: anywhere'>plan.md</p>",
		"/over":     "<p>one</p><p style='margin-top: -2em'>two</p>",
		"/cut":      "<div style='display: flex'><p style='width: 9ch; overflow: hidden; white-space: nowrap'>a long name</p><p>v1</p></div>",
	}
	p := open(t, serve(t, pages), view{})
	for _, c := range []struct {
		path, rule string // the rule is "" for none
		v          view
		wide       bool
		unreadable bool
	}{
		{path: "/csp"},
		{path: "/csp", v: view{width: 360, dark: true}},
		{path: "/image", rule: "image-alt"},
		{path: "/label", rule: "label"},
		{path: "/target", rule: "target-size"},
		{path: "/dark"},
		{path: "/dark", v: view{dark: true}, rule: "color-contrast"},
		{path: "/wide"},
		{path: "/wide", v: view{width: 360}, wide: true},
		{path: "/scroller", v: view{width: 360}},
		{path: "/broken", unreadable: true},
		{path: "/over", unreadable: true},
		{path: "/cut"},
	} {
		p.visit(c.path)
		p.look(c.v)
		var rules []string
		found := p.violations()
		for _, v := range found {
			rules = append(rules, v.ID)
		}
		if got := strings.Join(rules, " "); got != c.rule {
			t.Errorf("%s %v: axe-core found %v, want %q", c.path, c.v, found, c.rule)
		}
		if got := p.overflow(); (len(got) > 1) != c.wide {
			t.Errorf("%s %v: too wide: %q, want %v", c.path, c.v, got, c.wide)
		}
		if got := p.unreadable(); (len(got) > 0) != c.unreadable {
			t.Errorf("%s %v: unreadable: %q, want %v", c.path, c.v, got, c.unreadable)
		}
	}
	p.visit("/csp")
	p.review("fine")
}
