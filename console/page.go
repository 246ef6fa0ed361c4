package console

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
)

// pages are the parsed templates by name. Each is the layout with the page's own main.
type pages map[string]*template.Template

func (h *Handler) parsePages() (pages, error) {
	names, err := fs.Glob(embedded, "templates/*.html")
	all := pages{}
	for _, file := range names {
		page := template.New("layout.html").Funcs(h.functions())
		page, err = page.ParseFS(embedded, "templates/layout.html", "templates/parts.html", file)
		if err != nil {
			break
		}
		all[strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return all, err
}

// frame is what the layout needs around the data of a page.
type frame struct {
	Title   string
	Person  Person
	Known   bool   // somebody is signed in
	Token   string // for forms
	Keys    bool   // there is a page about keys for this person
	Health  bool   // there is a page about the server for this person
	Version string
	Data    any
	place
}

// functions are what templates call.
func (h *Handler) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   h.assets.url,
		"time":    formatTime,
		"bytes":   formatBytes,
		"number":  func(n any) string { return formatNumber(integer(n)) },
		"plural":  func(n any, noun string) string { return plural(integer(n), noun) },
		"bar":     bar,
		"agent":   agentURL,
		"file":    fileURL,
		"log":     logURL,
		"visible": text.HTML,
		"name":    text.Name,
		"plain":   text.Plain,
		"author":  authorName,
		"minus":   func(n int64) int64 { return -n },
	}
}

// The parts of the console that handlers name.
const (
	partAgents = "Agents" // unless a handler says otherwise
	partSearch = "Search"
	partKeys   = "Keys"
)

// A place says where a page belongs, and how it is kept up to date.
type place struct {
	Part    string // the part of the console that the page belongs to; "": none
	Stream  string // the address of the events of the page; "": it is not live
	Refresh string // what to fetch after an event; "": the page itself
	Every   int    // seconds after which the page is fetched again; 0: it is not
}

// follow lets the page be fetched again when the memory of its agent changes.
func (v *visit) follow() { v.Stream = query("/events", "agent", v.ws.Agent()) }

// render answers with a page.
func (v *visit) render(name, title string, data any) error {
	return v.write(http.StatusOK, name, title, data)
}

// write answers with a page and a status.
func (v *visit) write(status int, name, title string, data any) error {
	known := v.person.ID != ""
	f := frame{
		Title: title, Person: v.person, Known: known, Version: v.h.o.Version, Data: data, place: v.place,
		Keys: known && v.person.Admin && v.h.o.Keys != nil, Health: known && v.person.Metrics && v.h.o.Health != nil,
	}
	if v.session != "" {
		f.Token = formToken(v.session)
	}
	var b bytes.Buffer
	all, err := v.h.pages()
	if err == nil {
		err = all[name].Execute(&b, f)
	}
	if err != nil {
		v.h.o.Logger.Error("console: a template failed", "page", name, "error", err)
		v.h.failPlain(v.w, v.r, http.StatusInternalServerError, "internal error")
		return nil
	}
	v.ready(b.Cap())
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(b.Bytes()) // the client may be gone
	}
	return nil
}

// ready gives back all room but that for an answer, which the client may take its time to
// read. The form of a POST stays in memory until the end.
func (v *visit) ready(answer int) {
	if v.r.Method != http.MethodPost {
		left := int64(answer)
		for _, part := range v.parts {
			left -= part.Shrink(left)
		}
	}
}

// see sends the browser to another page of the console after a change.
func (v *visit) see(where string) error {
	http.Redirect(v.w, v.r, where, http.StatusSeeOther)
	return nil
}

// agentURL returns the address of an agent, or of what is below it: agentURL("a",
// "search") is /a/a/search.
func agentURL(agent string, below ...string) string {
	return "/a/" + url.PathEscape(agent) + strings.Join(append([]string{""}, below...), "/")
}

// fileURL returns the address of a file.
func fileURL(agent, file string) string { return agentURL(agent, "files", escapePath(file)) }

// logURL returns the address of a log.
func logURL(agent, log string) string { return agentURL(agent, "logs", escapePath(log)) }

// escapePath escapes a path but for its slashes.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// query returns an address with the values that are not empty in its query. names and values
// take turns.
func query(page string, namesAndValues ...string) string {
	q := url.Values{}
	for i := 0; i < len(namesAndValues); i += 2 {
		if value := namesAndValues[i+1]; value != "" {
			q.Set(namesAndValues[i], value)
		}
	}
	if len(q) == 0 {
		return page
	}
	return page + "?" + q.Encode()
}

// number returns a number as addresses have it.
func number(n int64) string { return strconv.FormatInt(n, 10) }

// version returns the name of a version.
func version(n int64) string { return "v" + number(n) }

// integer returns an int or an int64 of a template.
func integer(n any) int64 {
	if i, ok := n.(int); ok {
		return int64(i)
	}
	return n.(int64)
}
