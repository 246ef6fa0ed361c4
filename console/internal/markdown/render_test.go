package markdown_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/console/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// below is where relative links lead in these tests: to files under /a/x/files/.
func below(dest string) (string, bool) {
	return "/a/x/files/" + dest, !strings.HasPrefix(dest, "/") && !strings.Contains(dest, "..")
}

func render(t *testing.T, source string) string {
	t.Helper()
	out, err := markdown.Render([]byte(source), below)
	if err != nil {
		t.Fatalf("%.200q: %v", source, err)
	}
	return string(out)
}

const rel = ` rel="noopener noreferrer nofollow"`

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"paragraph", "a *b* **c** ~~d~~ `e<` \\*f\\* &amp; &copy;\ng  \nh", "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;</code> *f* &amp; ©\ng<br>\nh</p>\n"},
		{"code", "```go\nif a < b {}\r\n```\n\n    x\ty", "<div class=\"md-scroll\" role=\"group\" aria-label=\"Code 1\" tabindex=\"0\"><pre><code>if a &lt; b {}\n</code></pre>\n</div>\n<div class=\"md-scroll\" role=\"group\" aria-label=\"Code 2\" tabindex=\"0\"><pre><code>x\ty\n</code></pre>\n</div>\n"},
		{"lists", "- a\n- b\n\n3. c\n\n   d", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<ol start=\"3\">\n<li>\n<p>c</p>\n<p>d</p>\n</li>\n</ol>\n"},
		{"tasks", "- [ ] a\n- [x] b", "<ul>\n<li><span class=\"md-task\" role=\"img\" aria-label=\"to do\">☐</span> a</li>\n<li><span class=\"md-task\" role=\"img\" aria-label=\"done\">☑</span> b</li>\n</ul>\n"},
		{"quote", "> a\n\n***", "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n"},
		{"table", "|a||\n|-:|:-:|\n|`b\\|c`|", "<div class=\"md-scroll\" role=\"group\" aria-label=\"Table 1\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n<th></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\"><code>b|c</code></td>\n<td></td>\n</tr>\n</tbody>\n</table>\n</div>\n"},
		{"html", "<b onclick=\"x\">*y*</b>\n\n<script>\nz\n</script>", "<p>&lt;b onclick=&#34;x&#34;&gt;<em>y</em>&lt;/b&gt;</p>\n<p>&lt;script&gt;\nz\n&lt;/script&gt;</p>\n"},
		{"marks", "a\u202eb &#8203; `\x00` &#0;", "<p>a<span class=\"u\">U+202E</span>b <span class=\"u\">U+200B</span> <code><span class=\"u\">U+0000</span></code> \ufffd</p>\n"},
		{"literal entity", `\&amp; &amp;lt; &ampx; &nosuch; &#x3c;`, "<p>&amp;amp; &amp;lt; &amp;ampx; &amp;nosuch; &lt;</p>\n"},
		{"reference", "[a]\n\n[a]: b.md 't'", `<p><a href="/a/x/files/b.md"` + rel + ` title="t">a</a></p>` + "\n"},
		{"bare address", "https://example.com/a?b=1&c. www.example.com a@example.com", `<p><a href="https://example.com/a?b=1&amp;c"` + rel + `>https://example.com/a?b=1&amp;c</a>. <a href="http://www.example.com"` + rel + `>www.example.com</a> a@example.com</p>` + "\n"},
		{"image", "![a *b*](c.png) ![](//x)", `<p><span class="md-image">image: a <em>b</em></span> <span class="md-image">image: //x</span></p>` + "\n"},
		{"image in a link", "[![a](https://example.com/i)](https://example.com/)", `<p><a href="https://example.com/"` + rel + `><span class="md-image">image: a</span></a></p>` + "\n"},
		{"link without words", "[](https://example.com/)", `<p><a href="https://example.com/"` + rel + `>https://example.com/</a></p>` + "\n"},
		{"fragment", "[a](#later) [b](#body)\n\n# Later", `<p><a href="#md-later"` + rel + `>a</a> <span class="md-nolink" title="not linked: #body">b</span></p>` + "\n<h2 id=\"md-later\">Later</h2>\n"},
		{"front matter", "\ufeff---\na: <b>\n---\n# c", "<p class=\"md-meta\">Byte order mark <span class=\"u\">U+FEFF</span></p>\n<p class=\"md-meta\">Front matter</p><div class=\"md-scroll\" role=\"group\" aria-label=\"Front matter\" tabindex=\"0\"><pre><code>---\na: &lt;b&gt;\n---\n</code></pre></div>\n<h2 id=\"md-c\">c</h2>\n"},
		{"rule", "a\n\n---\nb: c\n---\n", "<p>a</p>\n<hr>\n<h2 id=\"md-b-c\">b: c</h2>\n"},
		{"footnote", "a[^x] [b[^x]](c.md) [^none]\n\n[^x]: *d*\n", "<p>a<sup id=\"md-fnref:1\"><a href=\"#md-fn:1\" class=\"footnote-ref\" role=\"doc-noteref\">1</a></sup> <a href=\"/a/x/files/c.md\"" + rel + ">b[1]</a> [^none]</p>\n<div class=\"footnotes\" role=\"doc-endnotes\">\n<hr>\n<ol>\n<li id=\"md-fn:1\">\n<p><em>d</em>&#160;<a href=\"#md-fnref:1\" class=\"footnote-backref\" role=\"doc-backlink\">&#x21a9;&#xfe0e;</a>&#160;<a href=\"#md-fnref1:1\" class=\"footnote-backref\" role=\"doc-backlink\">&#x21a9;&#xfe0e;</a></p>\n</li>\n</ol>\n</div>\n"},
	} {
		if got := render(t, c.source); got != c.want {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got))
		}
	}
}

// Headings stand under the page's own, skip no level, and have ids that the page does not.
func TestHeadings(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"# A b\n### C!\n## A b\n# A b", `<h2 id="md-a-b">A b</h2> <h3 id="md-c">C!</h3> <h3 id="md-a-b-1">A b</h3> <h2 id="md-a-b-2">A b</h2>`},
		{"###### x\n# y", `<h2 id="md-x">x</h2> <h2 id="md-y">y</h2>`},
		{"#\n# &#8203;\n# ![](x)", `<h2 id="md-"><span class="u">U+200B</span></h2> <h2 id="md--1"><span class="md-image">image: x</span></h2>`},
		{"# a\n# a\n# a-1\n# a", `<h2 id="md-a">a</h2> <h2 id="md-a-1">a</h2> <h2 id="md-a-1-1">a-1</h2> <h2 id="md-a-2">a</h2>`},
		{"# Ü ` \" onclick=x `", `<h2 id="md-ü--onclickx">Ü <code>&#34; onclick=x</code></h2>`},
		{"# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6", `<h2 id="md-1">1</h2> <h3 id="md-2">2</h3> <h4 id="md-3">3</h4> <h5 id="md-4">4</h5> <h6 id="md-5">5</h6> <h6 id="md-6">6</h6>`},
	} {
		if got := strings.Join(strings.Split(strings.TrimSpace(render(t, c.source)), "\n"), " "); got != c.want {
			t.Errorf("%q: %s", c.source, cmp.Diff(c.want, got))
		}
	}
}

func TestLinks(t *testing.T) {
	anywhere := func(dest string) (string, bool) { return dest, true }
	for _, c := range []struct{ dest, want string }{
		{"https://example.com/a%20b?c=d&e#f", "https://example.com/a%20b?c=d&amp;e#f"},
		{"HTTP://EXAMPLE.com", "http://EXAMPLE.com"},
		{"/a/x", "/a/x"},
		{"?v=3", "?v=3"},
		{"x.md", ""}, // not resolved
		{"javascript:alert(1)", ""},
		{"JAVASCRIPT&colon;alert(1)", ""},
		{"java&Tab;script:alert(1)", ""},
		{"&#1;javascript:alert(1)", ""},
		{"java%0ascript:alert(1)", ""},
		{"data:text/html,x", ""},
		{"vbscript:x", ""},
		{"file:///etc/passwd", ""},
		{"mailto:a@example.com", ""},
		{"//beacon.invalid/", ""},
		{"///beacon.invalid/", ""},
		{`/\beacon.invalid`, ""},
		{`\\\\beacon.invalid`, ""},
		{"/&Tab;/beacon.invalid", ""},
		{"https:beacon.invalid", ""},
		{"https:///beacon.invalid", ""},
		{"https://example.com@beacon.invalid/", ""},
		{"https://example.com/\u202e", ""},
		{"https://example.com/\u200b", ""},
		{"https://[::1", ""},
		{"https://example.com/" + strings.Repeat("a", 5000), ""},
	} {
		for _, source := range []string{"[w](" + c.dest + ")", "[w]\n\n[w]: " + c.dest, "[w](<" + c.dest + ">)"} {
			out, err := markdown.Render([]byte(source), anywhere)
			testkit.Must(t, err)
			_, href, _ := strings.Cut(string(out), `href="`)
			href, _, _ = strings.Cut(href, `"`)
			if href != c.want {
				t.Errorf("%q leads to %q, want %q: %s", source, href, c.want, out)
			}
		}
	}
}

// What the caller's function answers is checked too, and without one nothing is linked. It is asked
// about relative addresses alone.
func TestLinkFunction(t *testing.T) {
	for _, href := range []string{"", "//beacon.invalid/", "javascript:alert(1)", "https://beacon.invalid/", `/\beacon.invalid`, "x", "/\t/x"} {
		out, err := markdown.Render([]byte("[a](b)"), func(string) (string, bool) { return href, true })
		if err != nil || strings.Contains(string(out), "<a") {
			t.Errorf("%q: %s, %v", href, out, err)
		}
	}
	out, err := markdown.Render([]byte("[a](b) [c](https://example.com/)"), nil)
	if err != nil || strings.Count(string(out), "<a ") != 1 {
		t.Errorf("without a function: %s, %v", out, err)
	}
	for _, dest := range []string{"javascript:alert(1)", "javascript:/x", "file:///etc/passwd", "mailto:a@example.com", "//beacon.invalid/", "https://example.com/", "#a"} {
		_, err := markdown.Render([]byte("[a]("+dest+")"), func(string) (string, bool) { t.Errorf("asked about %q", dest); return "", false })
		testkit.Must(t, err)
	}
}

// A long address that is used often is refused before it is written so often.
func TestLongAddresses(t *testing.T) {
	source := "[a]: https://example.com/" + strings.Repeat("b", 4000) + "\n\n" + strings.Repeat("[a] ", 1000)
	out, err := markdown.Render([]byte(source), nil)
	if !errors.Is(err, markdown.ErrTooComplex) || out != "" {
		t.Errorf("%d bytes, error %v", len(out), err)
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := markdown.Render(make([]byte, markdown.MaxInput+1), nil); !errors.Is(err, markdown.ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
}
