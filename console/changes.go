package console

import (
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const maxLastEntry = 200 // bytes of an entry beside the row that appended it

// A changeRow is a row of the journal of changes, or several appends to one log.
type changeRow struct {
	workspace.Change
	Agent  string
	Detail string // the versions, or the entries
	Last   string // the beginning of the last entry that was appended
	Link   string // what shows the change; "": nothing does
	Label  string // of the link

	Restore workspace.FileInfo // what the row deleted, if that can be restored; else zero
	Token   string             // for that form
}

// Verb is what the change did, in a word.
func (r changeRow) Verb() string {
	if r.Op == workspace.OpCreate {
		return "Write"
	}
	return strings.ToUpper(string(r.Op[:1])) + string(r.Op[1:])
}

// changeRows words changes of the agent in the address.
func (v *visit) changeRows(changes []workspace.Change) (rows []changeRow, err error) {
	deleted := map[string]workspace.FileInfo{}
	isDelete := func(c workspace.Change) bool { return c.Kind == workspace.KindFile && c.Op == workspace.OpDelete }
	if head := v.agentHead(""); head.Write && slices.ContainsFunc(changes, isDelete) {
		files, err := v.deletedFiles("")
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			deleted[f.Path] = f
		}
	}
	rows = make([]changeRow, len(changes))
	for i, c := range changes {
		r := changeRow{Change: c, Agent: v.ws.Agent()}
		file := fileURL(r.Agent, c.Path)
		switch {
		case c.Op == workspace.OpAppend:
			r.Detail, r.Label = "entry "+formatNumber(c.After), "Entry"
			if c.Entries > 1 {
				r.Detail = plural(c.Entries, "entry") + ", " + formatNumber(c.Before+1) + " to " + formatNumber(c.After)
				r.Label = "Entries"
			}
			r.Last, r.Link = v.lastEntry(c), logURL(r.Agent, c.Path)+"?before="+number(c.After+1)
		case c.Kind == workspace.KindLog && c.Op == workspace.OpRedact:
			r.Detail = "entry " + formatNumber(c.Before)
		case c.Kind == workspace.KindLog:
		case c.After == 0:
			r.Detail = version(c.Before)
			if f := deleted[c.Path]; isDelete(c) && f.Updated.Equal(c.Time) {
				r.Restore, r.Token = f, v.agentHead("").Token
			}
		case c.Op == workspace.OpRedact:
			r.Detail, r.Link, r.Label = version(c.Before), file, "Open"
		case c.Before == 0 || c.Op == workspace.OpMove:
			r.Detail, r.Link, r.Label = version(c.After), file+"?v="+number(c.After), "Open"
		default:
			r.Detail = version(c.Before) + " → " + version(c.After)
			r.Link, r.Label = file+"?diff="+number(c.Before)+".."+number(c.After), "Diff"
		}
		rows[i] = r
	}
	return rows, nil
}

// lastEntry returns the beginning of the last entry of an append. It returns "" if the entry is
// gone, or cannot be read.
func (v *visit) lastEntry(c workspace.Change) string {
	l, err := v.ws.ViewLog(v.r.Context(), c.Path, workspace.LogQuery{After: c.After - 1, Before: c.After + 1})
	if err != nil || len(l.Entries) == 0 {
		return ""
	}
	entry := string(l.Entries[0].Content)
	if end := text.Floor(entry, maxLastEntry); end < len(entry) {
		entry = entry[:end] + "…"
	}
	return entry
}

// changesData is what the page with the journal of changes shows.
type changesData struct {
	Head                 agentHead
	Days                 []changeDay
	Prefix, Author, Kind string // which changes were looked for
	Older                string // the address of older changes; "": there are none
	Newest               bool   // the newest changes are on this page
	Gone                 int64  // so many older changes are not kept any more
	Empty                bool
}

// A changeDay are the changes of a day, in UTC.
type changeDay struct {
	Day  time.Time
	Rows []changeRow
}

// changes shows the journal of changes.
func (v *visit) changes() error {
	before := v.number("before")
	agent := v.ws.Agent()
	d := changesData{Head: v.agentHead("Changes"), Prefix: v.form.Get("prefix"), Author: v.form.Get("author"),
		Kind: v.form.Get("kind"), Newest: before == 0}
	page, err := v.ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Before: before, Prefix: d.Prefix,
		Author: d.Author, Kind: workspace.PathKind(d.Kind), Limit: 100, Join: true})
	if err != nil {
		return err
	}
	rows, err := v.changeRows(page.Changes)
	if err != nil {
		return err
	}
	for _, r := range rows {
		day := r.Time.UTC().Truncate(24 * time.Hour)
		if n := len(d.Days); n == 0 || !d.Days[n-1].Day.Equal(day) {
			d.Days = append(d.Days, changeDay{Day: day})
		}
		last := &d.Days[len(d.Days)-1]
		last.Rows = append(last.Rows, r)
	}
	d.Empty = page.Last == 0
	if page.Next != 0 {
		d.Older = query(agentURL(agent, "changes"), "before", number(page.Next), "prefix", d.Prefix,
			"author", d.Author, "kind", d.Kind)
	} else if page.Oldest > 1 {
		d.Gone = page.Oldest - 1
	}
	v.follow()
	return v.render("changes", "Changes of "+agent, d)
}
