package markdown

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
)

// maxDest is how long an address may be that is linked to, in bytes.
const maxDest = 4096

// href returns where an address of the text leads.
func (p *page) href(dest string) (href string, ok bool) {
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
		return "#" + id, p.ids[id]
	case p.link == nil:
		return "", false
	}
	href, ok = p.link(dest)
	return href, ok && stays(href)
}

// clear reports whether a browser reads the address as this package does. Browsers take a
// backslash for a slash, and leave out some characters that do not show.
func clear(dest string) bool {
	for r := range text.Runs(dest) {
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

// setTarget lets a link lead to a checked address.
func (p *page) setTarget(n *ast.Link, href, title string) {
	if p.addresses += len(href) + len(title); p.addresses > maxAddresses {
		panic("its links are too long")
	}
	n.Destination, n.Title = []byte(strings.ReplaceAll(href, "&", "&amp;")), nil
	n.SetAttributeString("rel", []byte("noopener noreferrer nofollow"))
	if title != "" {
		n.SetAttributeString("title", []byte(attribute(title)))
	}
}

// changeLink checks a link. Where it may not lead, its address is shown as the title of
// its words.
func (p *page) changeLink(n *ast.Link) {
	dest := plain(n.Destination)
	href, ok := p.href(dest)
	if !ok {
		title := attribute("not linked: " + dest)
		open := markup(`<span class="md-nolink" title="` + html.EscapeString(title) + `">`)
		replace(n, append(append([]ast.Node{open}, children(n)...), markup("</span>"))...)
		return
	}
	if strings.TrimSpace(p.wordsOf(n)) == "" {
		n.AppendChild(n, literal(dest)) // a link without words cannot be found
	}
	p.setTarget(n, href, plain(n.Title))
}

func (p *page) changeAutoLink(n *ast.AutoLink) {
	label := literal(string(n.Label(p.source)))
	href, ok := p.href(string(n.URL(p.source)))
	if !ok || inLink(n) || n.AutoLinkType == ast.AutoLinkEmail {
		replace(n, label)
		return
	}
	link := ast.NewLink()
	p.setTarget(link, href, "")
	link.AppendChild(link, label)
	replace(n, link)
}

// changeImage shows the words of an image.
func (p *page) changeImage(n *ast.Image) {
	words := children(n)
	if strings.TrimSpace(p.wordsOf(n)) == "" {
		words = []ast.Node{literal(plain(n.Destination))}
	}
	replace(n, append(append([]ast.Node{markup(`<span class="md-image">image: `)}, words...), markup("</span>"))...)
}

// inLink reports whether a node is in a link: links do not nest.
func inLink(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// attribute returns the beginning of words for the title of an element.
func attribute(s string) string {
	if end := 300; len(s) > end {
		s = s[:text.Floor(s, end)] + "…"
	}
	return text.Plain(s)
}
