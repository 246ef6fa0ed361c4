package markdown_test

import (
	"errors"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// attributes are the elements and attributes that Render writes.
var attributes = map[string]string{
	"a": "href rel title class role", "blockquote": "", "br": "", "code": "", "del": "", "div": "class role aria-label tabindex", "em": "",
	"h2": "id", "h3": "id", "h4": "id", "h5": "id", "h6": "id", "hr": "", "li": "id", "ol": "start", "p": "class", "pre": "",
	"span": "class title role aria-label", "strong": "", "sup": "id", "table": "", "tbody": "", "td": "align", "th": "align", "thead": "", "tr": "", "ul": "",
}

// values are what the attributes may hold; a title and the path of a link are free.
var values = map[string]*regexp.Regexp{
	"class":      regexp.MustCompile(`^(u|md-scroll|md-task|md-image|md-nolink|md-meta|footnotes|footnote-ref|footnote-backref)$`),
	"role":       regexp.MustCompile(`^(group|img|doc-noteref|doc-backlink|doc-endnotes)$`),
	"aria-label": regexp.MustCompile(`^(to do|done|Front matter|(?:Table|Code) \d+)$`),
	"align":      regexp.MustCompile(`^(left|center|right)$`),
	"tabindex":   regexp.MustCompile(`^0$`),
	"rel":        regexp.MustCompile(`^noopener noreferrer nofollow$`),
	"id":         regexp.MustCompile(`^md-([\p{L}\p{N}_-]*|fn:\d+|fnref\d*:\d+)$`),
	"start":      regexp.MustCompile(`^\d{1,9}$`),
	"title":      regexp.MustCompile(`(?s)^.*$`),
	"href":       regexp.MustCompile(`(?s)^(https?://[^/]|[/?#]([^/]|$))[^\\]*$`),
}

// safe parses the result as a browser does and fails the test for all that is not in
// the lists.
func safe(t *testing.T, source string, out template.HTML) {
	t.Helper()
	document, err := html.Parse(strings.NewReader("<!DOCTYPE html><body><main>" + string(out) + "</main>"))
	if err != nil {
		t.Fatalf("%.300q: %v", source, err)
	}
	ids := map[string]bool{}
	for n := range document.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && n.Namespace != "" {
			t.Fatalf("%.300q: a node %v %q", source, n.Type, n.Data)
		}
		if n.Type != html.ElementNode || slices.Contains([]string{"html", "head", "body", "main"}, n.Data) && n.Attr == nil {
			continue
		}
		allowed, known := attributes[n.Data]
		if !known {
			t.Fatalf("%.300q: an element %q in %.500s", source, n.Data, out)
		}
		for _, a := range n.Attr {
			if !slices.Contains(strings.Fields(allowed), a.Key) || !values[a.Key].MatchString(a.Val) {
				t.Fatalf("%.300q: the attribute %s=%q of %q in %.500s", source, a.Key, a.Val, n.Data, out)
			}
			if a.Key == "id" && ids[a.Val] {
				t.Fatalf("%.300q: the id %q twice", source, a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			if a.Key == "href" {
				safeAddress(t, source, a.Val)
			}
		}
	}
}

func safeAddress(t *testing.T, source, href string) {
	t.Helper()
	u, err := url.Parse(href)
	if err != nil || u.User != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" ||
		strings.ContainsFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		t.Fatalf("%.300q: the address %q: %v", source, href, err)
	}
}

// A hostile text gives an error or what the lists allow, whatever the caller makes of
// relative addresses.
func TestHostile(t *testing.T) {
	testkit.SkipInShort(t)
	refused := 0
	for _, h := range hostile.All() {
		sources := []string{h.Text, "[" + h.Text + "](" + h.Text + ")", "> - " + h.Text, "# " + h.Text, "|" + h.Text + "|\n|-|\n|" + h.Text + "|", "![a]: " + h.Text}
		for _, source := range sources[:testkit.Pick(2, 6, 6)] {
			out, err := markdown.Render([]byte(source), func(dest string) (string, bool) { return dest, true })
			if err != nil && !errors.Is(err, markdown.ErrTooComplex) {
				t.Fatalf("%s: %v", h.Name, err)
			}
			if err != nil {
				refused++
				t.Logf("%s: %v", h.Name, err)
			}
			safe(t, source, out)
		}
	}
	if refused > 60 {
		t.Errorf("%d texts are refused", refused)
	}
}
