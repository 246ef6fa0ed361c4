package filetree

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/format"
	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A page has thousands of rows, and html/template takes five times as long for them. A rows
// escapes all that it is given, but for the markup of its callers.
type rows struct{ strings.Builder }

// markup writes markup, which is a constant of the program.
func (b *rows) markup(text string) { b.WriteString(text) }

// attribute writes a value between quotes.
func (b *rows) attribute(value string) { template.HTMLEscape(b, []byte(value)) }

func (b *rows) number(n int64) { b.WriteString(strconv.FormatInt(n, 10)) }

// html returns what was written.
func (b *rows) html() template.HTML { return template.HTML(b.String()) }

// HTML returns the rows of a tree of files.
func HTML(root *Folder) template.HTML {
	var b rows
	b.Grow(400 * int(root.Count))
	b.folder(root)
	return b.html()
}

func (b *rows) folder(f *Folder) {
	b.markup("<ul")
	if f.ID == "" {
		b.markup(` class="root"`)
	}
	b.markup(">\n")
	for _, f := range f.Folders {
		b.markup(`<li><details id="`)
		b.attribute(f.ID)
		b.markup(`"`)
		if f.Open {
			b.markup(" open")
		}
		b.markup("><summary data-item>")
		visible.WriteName(&b.Builder, f.Name)
		b.markup(` <span class="muted">`)
		visible.Write(&b.Builder, f.size())
		b.markup("</span></summary>")
		b.folder(f)
		b.markup("</details></li>\n")
	}
	for _, f := range f.Files {
		b.file(f)
	}
	b.markup("</ul>")
}

func (b *rows) file(f File) {
	b.markup(`<li class="f" data-item><a href="`)
	b.attribute(f.Address)
	b.markup(`">`)
	visible.WriteName(&b.Builder, f.Name)
	b.markup("</a><span>v")
	b.number(f.Version)
	b.markup("</span><span>")
	b.markup(format.Bytes(f.Size()))
	b.markup(`</span><span class="cut" title="`)
	b.attribute(authorTitle(f.Author))
	b.markup(`">`)
	visible.WriteName(&b.Builder, format.Author(f.Author))
	b.markup("</span>")
	b.markup(string(format.Time(f.Updated)))
	b.markup("</li>\n")
}

// authorTitle says all that is known of an author, for an attribute.
func authorTitle(a workspace.Author) string {
	title := a.Client + " " + a.Version
	if a.Key != "" {
		title += ", key " + a.Key
	}
	return visible.Text(title)
}
