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
		{"rejection", "/", "<script>Promise.reject(new Error('late'))</script>", []string{"exception: Error: late"}},
		{"alert", "/", "<script>alert('hi')</script>", []string{`dialog: alert "hi"`}},
		{"confirm", "/", "<script>confirm('sure')</script>", []string{`dialog: confirm "sure"`}},
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
	p := open(t, serve(t, map[string]string{"/": "<p>fine</p>", "/sure": "<button onclick='this.textContent = confirm(1)'>Ask</button>"}), view{})
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
	p.visit("/sure")
	p.expect("dialog: confirm")
	p.click("button", "Ask")
	p.see("false")
	p.acceptDialogs()
	p.click("button", "false")
	p.see("true")
}

// axe-core and the check of the width find what is wrong in the page, in its theme and at
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
	}
	p := open(t, serve(t, pages), view{})
	for _, c := range []struct {
		path, rule string // the rule is "" for none
		v          view
		wide       bool
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
	}
	p.visit("/csp")
	p.review("fine")
}

const formPage = `<form action=/done><label>Name <input name=n></label> <label>Text <textarea name=t rows=3></textarea></label>
<label>Scope <select name=s><option>read</option><option>write</option></select></label> <button>Save the file</button></form>
<p><a href=/file download>Download</a> <button id=copy>Copy</button> <a href=/done>Next</a> <a href=/done>Next page</a> <a href=/done>Nextdoor</a></p>
<section aria-label=Second><button>Copy</button></section><p id=said hidden></p><p id=clock></p><div style="height: 3000px"></div><button>Far</button>
<script>document.addEventListener("keydown", e => { if (e.target === document.body || e.key === "?") { said.hidden = false; said.textContent += "key " + (e.ctrlKey ? "Control+" : "") + e.key + " " } });
copy.onclick = () => navigator.clipboard.writeText("line 1\n\u202eline 2");
document.querySelectorAll("button")[3].onclick = () => { said.hidden = false; said.textContent = "far away" };
clock.textContent = new Date(0).toLocaleTimeString("en-GB", {timeZoneName: "short"})</script>`

// A person fills in a form, presses keys, copies and downloads.
func TestAct(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, map[string]string{"/": formPage, "/done": "<p>Done</p>", "/file": "the file"}), view{zone: "Asia/Tokyo"})
	p.visit("/")
	p.see("9:00:00 GMT+9")
	p.press("j", "?", "Control+k", "Escape")
	p.see("key j key ? key Control+k key Escape")
	p.click("button", "Far")
	p.see("far away")
	p.gone("key j")
	name, content := p.find("link", "Download").download()
	if name != "plan.md" || !strings.Contains(string(content), "the file") {
		t.Errorf("downloaded %q: %q", name, content)
	}
	if got := p.all("button", "Copy")[0].copied(); got != "line 1\n\u202eline 2" {
		t.Errorf("copied %q", got)
	}
	p.find("region", "Second").in("button", "Copy")
	p.fill("textbox", "Name", "Ärger & \"co\"")
	p.fill("textbox", "Text", "one")
	p.fill("textbox", "Text", "two\nthree")
	if got := p.find("textbox", "Text").value(); got != "two\nthree" {
		t.Errorf("the field has %q", got)
	}
	p.choose("Scope", "write")
	p.follow("button", "Save")
	p.see("Done")
	if got := p.where(); got != "/done?n=%C3%84rger+%26+%22co%22&t=two%0D%0Athree&s=write" {
		t.Errorf("sent %s", got)
	}
	p.visit("/")
	p.tabTo("textbox", "Name")
	p.write("k")
	p.press("Tab", "Shift+Tab")
	if got := p.focused(); got.role != "textbox" || got.name != "Name" {
		t.Errorf("the focus is at %v", got)
	}
	p.enter()
	p.see("Done")
	evaluate[any](p, "document.cookie = 'theme=dark'")
	second := p.another()
	second.visit("/done")
	second.reload()
	second.none("button", "Save")
	if got := evaluate[string](second, "document.cookie"); got != "theme=dark" {
		t.Errorf("another tab of the person has the cookies %q", got)
	}
	stranger := open(t, p.origin, view{})
	stranger.visit("/done")
	if got := evaluate[string](stranger, "document.cookie"); got != "" {
		t.Errorf("another person has the cookies %q", got)
	}
}

// A control that nobody could mean or reach is not found.
func TestLookup(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, map[string]string{"/": formPage + "<button hidden>Gone</button><button aria-hidden=true>Veiled</button>" +
		"<div style='position: fixed; inset: 0'>over</div>"}), view{noScript: true})
	p.visit("/")
	for _, c := range []struct{ role, name, want string }{
		{"link", "Next", ""}, // its whole name
		{"button", "Save", ""},
		{"button", "Copy", "there are 2"},
		{"button", "Sav", "there is no"},
		{"button", "Gone", "there is no"},
		{"button", "Veiled", "there is no"},
		{"link", "Save", "there is no"},
	} {
		if _, err := p.lookupOne("", c.role, c.name); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.role, c.name, err, c.want)
		}
	}
	if _, _, err := p.find("button", "Save").point(); err == nil || !strings.Contains(err.Error(), "is covered by <div") {
		t.Errorf("a control under another: %v", err)
	}
	if got := p.text(); strings.Contains(got, "GMT") || !strings.Contains(got, "over") {
		t.Errorf("without JavaScript the page shows %q", got)
	}
}
