package console

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"html/template"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The bounds of a page.
const (
	maxFiles     = 1000 // files that one page shows
	fileMemory   = 4096 // bytes for a file, with a long path
	maxOpenFiles = 60   // files up to which all folders are open
)

// A folder is a part of the tree of files.
type folder struct {
	Name    string
	ID      string // of its element
	Folders []*folder
	Files   []treeFile
	Count   int64 // files of this page in it, and in the folders in it
	Open    bool
	Before  bool // it may have files on the page before
	After   bool // it has files on the next page
}

// size says how many files the folder has.
func (f *folder) size() string {
	n := plural(f.Count, "file")
	switch {
	case f.Before && f.After:
		return n + " here, more before and after"
	case f.Before:
		return n + " here, more on the page before"
	case f.After:
		return n + " here, more on the next page"
	}
	return n
}

// A treeFile is a file in the tree.
type treeFile struct {
	Name    string // without its folders
	Address string
	workspace.File
}

// newTree puts the files of a page into their folders. Folders come before files. below is the
// path before the first file of the page. address returns that of a file.
func newTree(below string, v workspace.FilesView, address func(path string) string) *folder {
	root := &folder{Open: true}
	for _, f := range v.Files {
		at, path := root, f.Path
		at.Count++
		for {
			name, rest, found := strings.Cut(path, "/")
			if !found {
				break
			}
			n := len(at.Folders)
			if n == 0 || at.Folders[n-1].Name != name {
				at.Folders = append(at.Folders, newFolder(name, f.Path[:len(f.Path)-len(rest)],
					len(v.Files) <= maxOpenFiles))
				n++
			}
			at, path = at.Folders[n-1], rest
			at.Count++
		}
		at.Files = append(at.Files, treeFile{path, address(f.Path), f})
	}
	root.along(below, func(f *folder) { f.Before = true })
	root.along(v.Following, func(f *folder) { f.After = true })
	for at := root; len(at.Folders) == 1 && len(at.Files) == 0; at = at.Folders[0] {
		at.Folders[0].Open = true // there is nothing else to see
	}
	return root
}

// newFolder returns a folder. Its id stays the same when others come and go.
func newFolder(name, path string, open bool) *folder {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(path)) // never fails
	return &folder{Name: name, ID: "d-" + hex.EncodeToString(sum.Sum(nil)), Open: open}
}

// along calls do with the folders of a path, as far as they are here.
func (f *folder) along(path string, do func(*folder)) {
	for {
		name, rest, found := strings.Cut(path, "/")
		i := slices.IndexFunc(f.Folders, func(f *folder) bool { return f.Name == name })
		if !found || i < 0 {
			return
		}
		f, path = f.Folders[i], rest
		do(f)
	}
}

// A page has thousands of rows, and html/template takes five times as long for them. A rows
// escapes all that it is given, but for the markup of its callers.
type rows struct{ strings.Builder }

// markup writes markup, which is a constant of the program.
func (b *rows) markup(text string) { b.WriteString(text) }

// attribute writes a value between quotes.
func (b *rows) attribute(value string) { template.HTMLEscape(b, []byte(value)) }

// treeHTML returns the table of a tree of files.
func treeHTML(root *folder) template.HTML {
	var b rows
	b.Grow(400 * int(root.Count))
	b.markup(`<div class="tree-h" aria-hidden="true">`)
	for _, c := range fileColumns {
		b.markup("<span>" + c.title + "</span>")
	}
	b.markup("</div>\n<div class=\"tree\">")
	b.folder(root)
	b.markup("</div>")
	return template.HTML(b.String())
}

func (b *rows) folder(f *folder) {
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
		text.WriteName(&b.Builder, f.Name)
		b.markup(` <span class="muted">`)
		text.Write(&b.Builder, f.size())
		b.markup("</span></summary>")
		b.folder(f)
		b.markup("</details></li>\n")
	}
	for _, f := range f.Files {
		b.file(f)
	}
	b.markup("</ul>")
}

// fileColumns are the columns of the table of files. The head, the rows, and the widths in
// the stylesheet are made of them.
var fileColumns = []struct {
	title string
	width string // as grid-template-columns has it
	cell  func(*rows, treeFile)
}{
	{"Name", "minmax(0, 1fr)", func(b *rows, f treeFile) {
		b.markup(`<a href="`)
		b.attribute(f.Address)
		b.markup(`">`)
		text.WriteName(&b.Builder, f.Name)
		b.markup("</a>")
	}},
	{"Version", "3.5rem", func(b *rows, f treeFile) { b.markup("<span>" + version(f.Version) + "</span>") }},
	{"Size", "5rem", func(b *rows, f treeFile) { b.markup("<span>" + formatBytes(f.Size()) + "</span>") }},
	{"Author", "11rem", func(b *rows, f treeFile) {
		b.markup(`<span class="cut" title="`)
		b.attribute(authorTitle(f.Current.Author))
		b.markup(`">`)
		text.WriteName(&b.Builder, authorName(f.Current.Author))
		b.markup("</span>")
	}},
	{"Changed", "7.5rem", func(b *rows, f treeFile) { b.markup(string(formatTime(f.Updated))) }},
}

// columnWidths stands in the stylesheet for the widths of the columns.
const columnWidths = "FILE-COLUMNS"

// withColumns returns the stylesheet with the widths of the columns.
func withColumns(style []byte) []byte {
	var widths []string
	for _, c := range fileColumns {
		widths = append(widths, c.width)
	}
	return bytes.ReplaceAll(style, []byte(columnWidths), []byte(strings.Join(widths, " ")))
}

func (b *rows) file(f treeFile) {
	b.markup(`<li class="f" data-item>`)
	for _, c := range fileColumns {
		c.cell(b, f)
	}
	b.markup("</li>\n")
}

// authorTitle says all that is known of an author, for an attribute.
func authorTitle(a workspace.Author) string {
	title := a.Client + " " + a.Version
	if a.Key != "" {
		title += ", key " + a.Key
	}
	return text.Plain(title)
}
