package console

import (
	"bytes"
	"html/template"
	"mime"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxLines    = 2000      // lines of a page of a text
	maxText     = 384 << 10 // bytes of a page of a text
	maxLine     = 20_000    // bytes of a line that a page shows
	maxBrackets = 10_000    // in it; each takes 500 bytes of memory
	maxMarkup   = 768 << 10 // bytes of HTML of a text, and a line more
)

// fileData is what the page of a file shows.
type fileData struct {
	fileHead
	Pinned   bool // the address names the version
	Lines    template.HTML
	Rendered template.HTML
	Problem  string // why the text is not rendered
	Secrets  string // where the lines that are here have a secret; "": they have none
	Earlier  string // the address of the lines before; "": there are none
	Later    string // the address of the lines after
	From, To int    // the lines that are here
}

// A subject is the file or the log that a page is about.
type subject struct {
	Head    agentHead
	Path    string
	Address string // of the file or the log; "": there is none
}

// Parts are the parts of the path. A folder leads to what is in it, and the last part to the file
// or the log.
func (s subject) Parts() (parts []choice) {
	names := strings.Split(s.Path, "/")
	for i, name := range names {
		folder := "/" + strings.Join(names[:i+1], "/") + "/"
		parts = append(parts, choice{name, query(agentURL(s.Head.Agent), "q", folder), false})
	}
	parts[len(parts)-1].Address = s.Address
	return parts
}

// fileSubject returns a file of the agent in the address.
func (v *visit) fileSubject(path string) subject {
	return subject{v.agentHead("Files"), path, fileURL(v.ws.Agent(), path)}
}

// A fileHead is what all pages of a file begin with.
type fileHead struct {
	subject
	Raw      string // the address of its bytes
	Tab      string // that is open
	Markdown bool
	File     workspace.ReadResult // the version that is shown
	Versions []versionRow         // the newest first
}

// A versionRow is a version in the list of them.
type versionRow struct {
	workspace.VersionInfo
	Grown   int64  // bytes more than the version before
	First   bool   // there is no version before
	Address string // of the version
	Diff    string // the address of what it changed; "": that is not known
	Shown   bool
}

// file shows a file, or what can be done with it.
func (v *visit) file() error {
	need, answer := toRead, (*visit).text
	switch view := v.form.Get("view"); {
	case view == "compare" || v.form.Has("diff"):
		answer = (*visit).compare
	case view == "newer":
		answer = (*visit).newer
	case view == "edit":
		need, answer = toChange, (*visit).editor
	case view == "move":
		need, answer = toChange, (*visit).movePage
	case view == "delete":
		need, answer = toChange, (*visit).deletePage
	}
	return ofAgent(need, answer)(v)
}

// text shows the text of a file.
func (v *visit) text() error {
	version := v.number("v")
	from := v.number("from")
	if err := v.takeFile(); err != nil {
		return err
	}
	d := fileData{Pinned: version != 0}
	name := v.path()
	o := workspace.ReadOptions{Version: version}
	rendered := isMarkdown(name) && from == 0 && v.form.Get("view") != "source"
	if !rendered {
		o.FromLine = int(min(from, 1<<30)) // 0 reads an empty file too
		o.ToLine = max(1, o.FromLine) + maxLines - 1
	}
	r, err := v.ws.ReadFile(v.r.Context(), name, o)
	if err != nil {
		return err
	}
	versions, _, err := v.history(r.Path)
	if err != nil {
		return err
	}
	d.fileHead = v.headOf(versions, r)
	if d.Tab = "Source"; rendered {
		if d.Rendered, d.Problem = render(r.Content, v.ws.Agent(), name); d.Problem == "" {
			d.Tab = "Rendered"
		}
	}
	if d.Tab == "Source" {
		d.setLines(max(1, r.FromLine), r.Content)
	}
	if found := v.ws.FindSecrets(r.Path, r.Content, max(1, r.FromLine)); found != nil {
		d.Secrets = found.Text() + ". This removes it, also from older versions: " + found.Remove
	}
	v.follow()
	return v.render("file", name+" of "+v.ws.Agent(), d)
}

// isMarkdown reports whether a file is Markdown by its name.
func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// takeFile takes room for a page of the file in the address, so that many large files at
// once do not fill the memory.
func (v *visit) takeFile() error {
	e, err := v.ws.FileExtent(v.r.Context(), v.path())
	if err != nil {
		return err
	}
	bytes := 2*e.Largest + 10*min(e.Largest, maxText) + 64<<10
	if isMarkdown(v.path()) {
		bytes += 200 * min(e.Largest, markdown.MaxInput) // the tree of a text of small elements
	}
	return v.take(v.h.room, bytes)
}

// wholeFile returns a file with its lines, for the page of an editor.
func wholeFile(s subject, r workspace.ReadResult) *fileData {
	d := &fileData{Pinned: true, fileHead: fileHead{subject: s, File: r}}
	d.setLines(1, r.Content)
	return d
}

// headOf returns the head of the pages of a file with its versions, the oldest first.
func (v *visit) headOf(versions []workspace.VersionInfo, r workspace.ReadResult) fileHead {
	d := fileHead{subject: v.fileSubject(r.Path), File: r, Markdown: isMarkdown(r.Path)}
	d.Raw = agentURL(d.Head.Agent, "raw", escapePath(r.Path)) + "?v=" + number(r.Version)
	for i := len(versions) - 1; i >= 0; i-- {
		row := versionRow{VersionInfo: versions[i], Address: d.Address + "?v=" + number(versions[i].Version),
			Shown: versions[i].Version == r.Version}
		if i == 0 {
			row.First, row.Grown = true, row.Bytes
		} else if row.Redacted == nil && versions[i-1].Redacted == nil {
			row.Grown = row.Bytes - versions[i-1].Bytes
			row.Diff = d.Address + "?diff=" + number(versions[i-1].Version) + ".." + number(row.Version)
		}
		d.Versions = append(d.Versions, row)
	}
	return d
}

// setLines puts as many lines on the page as it has room for.
func (d *fileData) setLines(from int, content []byte) {
	rest := string(content)
	address := d.Address + "?view=source"
	if d.Pinned {
		address += "&v=" + number(d.File.Version)
	}
	d.From, d.To = from, from-1
	var b strings.Builder
	b.Grow(min(len(rest), maxText) + 64*min(d.File.Lines, maxLines))
	for size := 0; rest != "" && d.To-from < maxLines-1 && size < maxText && b.Len() < maxMarkup; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		d.To++
		size += sourceLine(&b, d.To, line) + 40
	}
	d.Lines = template.HTML(b.String())
	if from > 1 {
		d.Earlier = address + "&from=" + number(int64(max(1, from-maxLines)))
	}
	if d.To < d.File.Lines {
		d.Later = address + "&from=" + number(int64(d.To+1))
	}
}

// sourceLine writes a line with its number as a link, and says how many of its bytes are not
// there if it has more than maxLine. It returns how many bytes of the line are there. A page
// has thousands of lines, and html/template takes five times as long.
func sourceLine(b *strings.Builder, number int, line string) int {
	n := strconv.Itoa(number)
	b.WriteString(`<span id="L` + n + `"><a href="#L` + n + `">` + n + "</a>")
	at := text.Floor(line, maxLine)
	text.Write(b, line[:at])
	if left := len(line) - at; left > 0 {
		b.WriteString(`<i class="muted"> and ` + formatNumber(int64(left)) + " bytes more, see Raw</i>")
	}
	b.WriteString("</span>")
	return at
}

// render returns Markdown as HTML, or why that cannot be.
func render(content []byte, agent, file string) (html template.HTML, problem string) {
	if bytes.Count(content, []byte("[")) > maxBrackets {
		return "", "This text has too many brackets to be rendered."
	}
	html, err := markdown.Render(content, func(dest string) (string, bool) { return linkFrom(agent, file, dest) })
	if err != nil {
		return "", "This text is " + err.Error() + "."
	}
	return html, ""
}

// linkFrom returns the address of a relative link in a file: that of another file of the
// agent.
func linkFrom(agent, file, dest string) (href string, ok bool) {
	dest, fragment, _ := strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	name, err := url.PathUnescape(dest)
	if err != nil || name == "" {
		return "", false
	}
	if strings.HasPrefix(name, "/") {
		name = path.Clean(name)[1:]
	} else {
		name = path.Join(path.Dir(file), name)
	}
	if name == "" || name == "." || strings.HasPrefix(name, "..") {
		return "", false
	}
	href = fileURL(agent, name)
	if fragment != "" {
		href += "#md-" + url.PathEscape(fragment)
	}
	return href, true
}

// raw sends the bytes of a file.
func (v *visit) raw() error {
	version := v.number("v")
	if err := v.takeFile(); err != nil {
		return err
	}
	r, err := v.read(v.path(), version)
	if err != nil {
		return err
	}
	v.setRawHeaders(r.Path)
	v.w.Header().Set("Content-Length", number(int64(len(r.Content))))
	v.ready(len(r.Content))
	_, _ = v.w.Write(r.Content) // the client may be gone
	return nil
}

// setRawHeaders sets the headers of an answer that is what an agent wrote, and no page. A
// download gets the last part of the name.
func (v *visit) setRawHeaders(name string) {
	header := v.w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	if v.form.Has("download") {
		header.Set("Content-Disposition", mime.FormatMediaType("attachment",
			map[string]string{"filename": path.Base(name)}))
	}
}
