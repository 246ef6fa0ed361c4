package console

import (
	"cmp"
	"html/template"
	"net/http"
	"regexp"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	foldLines = 8   // lines of an entry that are not folded
	foldBytes = 900 // the same in bytes
)

// logData is what the page of a log shows.
type logData struct {
	logHead
	Find   logFind
	Rows   []entryRow // the newest first
	From   int64      // the page has looked at the entries from here
	To     int64      // to here; below From: at none
	Oldest int64      // the first entry that the log holds; after the last one if it holds none
	Newest bool       // the newest entries are on this page
	Older  string     // the address of older entries; "": there are none
}

// A logHead is what all pages of a log begin with.
type logHead struct {
	subject
	Log     workspace.LogView
	Entries int64
}

// A logFind says which entries of a log a page is about.
type logFind struct {
	Author, Text string
	Before       int64 // 0: the newest
}

// address returns the address of the entries.
func (f logFind) address(log string) string {
	before := ""
	if f.Before > 0 {
		before = number(f.Before)
	}
	return query(log, "q", f.Text, "author", f.Author, "before", before)
}

// An entryRow is an entry in the list.
type entryRow struct {
	workspace.Entry
	Link string        // the address of the entry among its neighbours
	By   string        // the address of the author's entries; "": the author is not known
	Text template.HTML // the beginning of a long entry, or all of it
	Rest template.HTML // what is folded
	More string        // how much that is
	Open bool          // only the folded part has the text that was searched for
}

// log shows a log, or what can be done with it.
func (v *visit) log() error {
	need, answer := toRead, (*visit).entries
	if view := v.form.Get("view"); view == "trim" || view == "delete" {
		need, answer = toChange, (*visit).logConfirm
	}
	return ofAgent(need, answer)(v)
}

// entries shows entries of a log.
func (v *visit) entries() error {
	d := logData{Find: logFind{Author: v.form.Get("author"), Text: v.form.Get("q"), Before: v.number("before")}}
	if err := v.take(v.h.room, logBytes); err != nil {
		return err
	}
	l, err := v.ws.ViewLog(v.r.Context(), v.path(), workspace.LogQuery{
		Before: d.Find.Before, Author: d.Find.Author, Text: d.Find.Text,
	})
	if err != nil {
		return err
	}
	d.logHead = v.logHead(l)
	d.setRows()
	status := http.StatusOK
	if !l.Exists {
		status = http.StatusNotFound
	}
	if d.Newest {
		v.follow()
	}
	return v.write(status, "log", d.Path, d)
}

// logBytes is the room for a page of a log: for what is looked at, and for the page, where a
// character may become a mark. A page has at most 256 KiB of entries.
const logBytes = 5 << 20

func (v *visit) logHead(l workspace.LogView) logHead {
	d := logHead{subject: subject{v.agentHead("Files"), l.Path, logURL(v.ws.Agent(), l.Path)}, Log: l}
	if l.Exists {
		d.Entries = l.Last - l.First + 1
	}
	return d
}

// setRows puts the entries that were found on the page.
func (d *logData) setRows() {
	l, find := d.Log, d.Find
	d.Newest = find.Before == 0
	d.Oldest = l.First
	if !l.Exists {
		d.Oldest = l.Last + 1
	}
	d.From, d.To = d.Oldest, l.Last
	if find.Before > 0 {
		d.To = min(d.To, find.Before-1)
	}
	if l.Next > 0 {
		d.From = l.Next
		find.Before = l.Next
		d.Older = find.address(d.Address)
	}
	for _, e := range l.Entries {
		d.Rows = append(d.Rows, newEntryRow(d.Address, d.Find.Text, e))
	}
}

// spansOf returns where a word stands in a text, in upper or lower case.
func spansOf(text, word string) (spans [][2]int) {
	expr, err := regexp.Compile("(?i)" + regexp.QuoteMeta(word))
	if word == "" || err != nil {
		return nil
	}
	for _, found := range expr.FindAllStringIndex(text, -1) {
		spans = append(spans, [2]int(found))
	}
	return spans
}

func newEntryRow(address, word string, e workspace.Entry) entryRow {
	r := entryRow{Entry: e}
	r.Link = logFind{Before: e.ID + 1}.address(address) + "#e" + number(e.ID)
	if by := cmp.Or(e.Author.Client, e.Author.Key); by != "" {
		r.By = logFind{Author: by}.address(address)
	}
	content := string(e.Content)
	spans, at := spansOf(content, word), foldAt(content)
	if at == len(content) {
		r.Text = text.Marked(content, 0, spans, text.Hit)
		return r
	}
	head, rest := content[:at], content[at:]
	r.Text = text.Marked(strings.TrimSuffix(head, "\n"), 0, spans, text.Hit)
	r.Open = len(spans) > 0 && spans[0][1] > at
	r.Rest = text.Marked(rest, at, spans, text.Hit)
	r.More = formatBytes(int64(len(rest))) + " more"
	return r
}

// foldAt returns where to fold a long text: after some lines, or some bytes.
func foldAt(entry string) int {
	head := entry[:text.Floor(entry, foldBytes)]
	lines := 0
	for i := range len(head) {
		if head[i] != '\n' {
			continue
		}
		if lines++; lines == foldLines {
			return i + 1
		}
	}
	return len(head)
}
