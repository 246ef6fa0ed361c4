package markdown

import (
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
)

// maxDest is how long an address may be that is linked to, in bytes.
const maxDest = 4096

// href returns where an address of the text leads.
func (w *writer) href(dest string) (href string, ok bool) {
	if dest == "" || len(dest) > maxDest || !clear(dest) {
		return "", false
	}
	u, err := url.Parse(dest)
	switch {
	case err != nil || u.User != nil || u.Opaque != "":
		return "", false
	case u.Scheme == "http" || u.Scheme == "https":
		return u.String(), u.Host != ""
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(dest, "//"):
		return "", false
	case dest[0] == '#':
		id := idPrefix + slug(u.Fragment)
		return "#" + id, w.ids[id]
	case w.link == nil:
		return "", false
	}
	href, ok = w.link(dest)
	return href, ok && stays(href)
}

// clear reports whether a browser reads the address as this package does. Browsers take a
// backslash for a slash, and leave out some characters that do not show.
func clear(dest string) bool {
	for r := range visible.Runs(dest) {
		if r.Mark {
			return false
		}
	}
	return !strings.Contains(dest, `\`) && !strings.ContainsFunc(dest, unicode.IsSpace)
}

// stays reports whether the address leads to the origin of the page.
func stays(href string) bool {
	return href != "" && clear(href) && strings.ContainsRune("/?#", rune(href[0])) && !strings.HasPrefix(href, "//")
}

// anchor writes a link with the nodes in n as its words. Where an address may not lead, it is
// shown as the title of the words.
func (w *writer) anchor(dest, title string, n ast.Node) {
	if w.inLink {
		w.children(n)
		return
	}
	href, ok := w.href(dest)
	if !ok {
		w.out.WriteString(`<span class="md-nolink" title="` + attribute("not linked: "+dest) + `">`)
		w.children(n)
		w.out.WriteString("</span>")
		return
	}
	w.openAnchor(href, title)
	w.inLink = true
	w.children(n)
	w.inLink = false
	if !w.shows(n) {
		w.text(dest) // a link without words cannot be found
	}
	w.out.WriteString("</a>")
}

func (w *writer) openAnchor(href, title string) {
	w.out.WriteString(`<a href="` + html.EscapeString(href) + `" rel="noopener noreferrer nofollow"`)
	if title != "" {
		w.out.WriteString(` title="` + attribute(title) + `"`)
	}
	w.out.WriteString(">")
}

// attribute returns words for the title of an element.
func attribute(s string) string {
	if end := 300; len(s) > end {
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	return html.EscapeString(visible.Text(s))
}

func (w *writer) autoLink(n *ast.AutoLink) {
	label := string(n.Label(w.source))
	href, ok := w.href(string(n.URL(w.source)))
	if !ok || w.inLink || n.AutoLinkType == ast.AutoLinkEmail {
		w.text(label)
		return
	}
	w.openAnchor(href, "")
	w.text(label)
	w.out.WriteString("</a>")
}

// image writes the words of an image, with a link to it where one may be.
func (w *writer) image(n *ast.Image) {
	dest := plain(string(n.Destination))
	href, ok := w.href(dest)
	ok = ok && !w.inLink
	if ok {
		w.openAnchor(href, plain(string(n.Title)))
	}
	before := w.inLink
	w.inLink = true
	w.out.WriteString(`<span class="md-image">image: `)
	if w.children(n); !w.shows(n) {
		w.text(dest)
	}
	w.out.WriteString("</span>")
	if w.inLink = before; ok {
		w.out.WriteString("</a>")
	}
}
