package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A webForm is a form of a page, as a browser holds it.
type webForm struct {
	action string
	fields url.Values
	text   string // the name of its text field
}

// find returns the first element that matches, or nil.
func find(n *html.Node, match func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && match(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if m := find(c, match); m != nil {
			return m
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func innerText(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(innerText(c))
	}
	return b.String()
}

func parsePage(t testing.TB, page string) *html.Node {
	t.Helper()
	root := must(html.Parse(strings.NewReader(page)))(t)
	return root
}

// formIn returns the form with the button of an action, or nil.
func formIn(t testing.TB, page, do string) *webForm {
	t.Helper()
	isButton := func(n *html.Node) bool {
		return n.Data == "button" && attr(n, "name") == "do" && attr(n, "value") == do
	}
	form := find(parsePage(t, page), func(n *html.Node) bool { return n.Data == "form" && find(n, isButton) != nil })
	if form == nil {
		return nil
	}
	f := &webForm{action: attr(form, "action"), fields: url.Values{"do": {do}}}
	find(form, func(n *html.Node) bool {
		switch {
		case n.Data == "textarea" && attr(n, "name") != "":
			f.text = attr(n, "name")
			f.fields.Set(f.text, innerText(n))
		case n.Data == "input" && attr(n, "name") != "":
			f.fields.Set(attr(n, "name"), attr(n, "value"))
		}
		return false
	})
	return f
}

// mustForm is formIn for a form that must be there.
func mustForm(t testing.TB, page, do string) *webForm {
	t.Helper()
	f := formIn(t, page, do)
	if f == nil {
		t.Fatalf("there is no form to %s:\n%s", do, page)
	}
	return f
}

// value returns what the text field of a form holds.
func (f *webForm) value() string { return f.fields.Get(f.text) }

// send sends a form as a browser does: each line ending of a text field is CRLF.
func (b *browser) send(f *webForm) (status int, page string) {
	b.t.Helper()
	fields := url.Values{}
	for name, values := range f.fields {
		fields[name] = values
	}
	if f.text != "" {
		text := strings.ReplaceAll(strings.ReplaceAll(f.value(), "\r\n", "\n"), "\r", "\n")
		fields.Set(f.text, strings.ReplaceAll(text, "\n", "\r\n"))
	}
	return b.post(f.action, fields)
}

// edit opens the editor of a file and types another text.
func (b *browser) edit(path, text string) *webForm {
	b.t.Helper()
	f := b.form(path+"?view=edit", "save")
	f.fields.Set(f.text, text)
	return f
}

// form returns a form of a page.
func (b *browser) form(path, do string) *webForm {
	b.t.Helper()
	status, page := b.get(path)
	if status != http.StatusOK {
		b.t.Fatalf("%s: status %d\n%s", path, status, page)
	}
	return mustForm(b.t, page, do)
}
