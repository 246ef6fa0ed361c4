package console

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxLogs = 200 // logs that one page shows
	newest  = 15  // changes beside the files
)

// agentData is what the page of an agent shows.
type agentData struct {
	Head    agentHead
	Profile workspace.Profile
	Usage   workspace.UsageReport
	Tree    *folder
	More    string // the address of the files after these; "": there are none
	Below   string // the path before the first file; "": the first files are here
	Logs    []workspace.LogInfo
	AllLogs bool
	Changes []changeRow
	Configs []Config
}

// An agentHead is what all pages of an agent begin with.
type agentHead struct {
	Agent string
	Tab   string // that is open
	Write bool   // the person may change things
}

// agent shows the page of an agent.
func (h *Handler) agent(v *visit) error {
	ws, err := v.workspace(toRead)
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	d := agentData{Head: v.agentHead("Files"), Below: v.r.URL.Query().Get("after")}
	if d.Usage, err = ws.Usage(ctx); err != nil {
		return err
	}
	if d.Profile, _, err = v.person.Service.Profile(ctx, ws.Agent()); err != nil {
		return err
	}
	if err := v.take(h.room, 64<<10+fileMemory*min(d.Usage.Files, maxFiles)); err != nil {
		return err
	}
	files, err := ws.ViewFiles(ctx, workspace.FilesQuery{After: d.Below, Limit: maxFiles})
	if err != nil {
		return err
	}
	d.Tree = newTree(d.Below, files, func(path string) string { return fileURL(ws.Agent(), path) })
	if files.Next != "" {
		d.More = query(agentURL(ws.Agent()), "after", files.Next)
	}
	logs, err := ws.ListLogs(ctx, workspace.ListOptions{Limit: maxLogs})
	if err != nil {
		return err
	}
	d.Logs, d.AllLogs = logs.Logs, !logs.More
	changes, err := ws.ChangeLog(ctx, workspace.ChangeLogQuery{Limit: newest})
	if err != nil {
		return err
	}
	d.Changes = v.changeRows(changes.Changes)
	if len(files.Files) == 0 && len(d.Logs) == 0 && d.Below == "" && h.o.Config != nil {
		d.Configs = h.o.Config(v.r.Context(), ws.Agent(), "")
	}
	return v.renderAgent("agent", ws.Agent(), d)
}

// agentHead returns the head of a page of the agent in the address.
func (v *visit) agentHead(tab string) agentHead {
	return agentHead{Agent: v.r.PathValue("agent"), Tab: tab, Write: v.person.Read && v.person.Write}
}

// renderAgent answers with a page of the agent in the address, which is fetched again when
// the agent's memory changes.
func (v *visit) renderAgent(name, title string, data any) error {
	o := v.agentPlace()
	o.Stream = agentStream(o.Agent)
	return v.render(name, title, o, data)
}

// agentPlace returns the place of a page of the agent in the address.
func (v *visit) agentPlace() place { return place{Part: partAgents, Agent: v.r.PathValue("agent")} }

// agentStream returns the address of the events of an agent.
func agentStream(agent string) string { return query("/events", "agent", agent) }

// A changeRow is a row of the journal of changes.
type changeRow struct {
	workspace.Change
	Agent  string
	Verb   string
	Detail string // the versions, or the entries
	Link   string // what shows the change; "": nothing does
	Label  string // of the link
}

// verbs are what changes did, in words.
var verbs = map[workspace.ChangeOp]string{
	workspace.OpCreate: "Write", workspace.OpEdit: "Edit", workspace.OpDelete: "Delete", workspace.OpMove: "Move",
	workspace.OpRestore: "Restore", workspace.OpAppend: "Append", workspace.OpTrim: "Trim",
	workspace.OpRedact: "Redact",
}

// changeRows words changes of the agent in the address.
func (v *visit) changeRows(changes []workspace.Change) []changeRow {
	agent := v.r.PathValue("agent")
	rows := make([]changeRow, len(changes))
	for i, c := range changes {
		r := changeRow{Change: c, Agent: agent, Verb: verbs[c.Op]}
		switch {
		case c.Kind == workspace.KindLog:
			r.Detail, r.Link, r.Label = logDetail(c)
			if r.Link != "" {
				r.Link = logURL(agent, c.Path) + r.Link
			}
		case c.After == 0:
			r.Detail = version(c.Before)
		case c.Op == workspace.OpRedact:
			r.Detail, r.Link, r.Label = version(c.Before), fileURL(agent, c.Path), "Open"
		case c.Before == 0 || c.Op == workspace.OpMove:
			r.Detail, r.Link, r.Label = version(c.After), fileURL(agent, c.Path)+"?v="+number(c.After), "Open"
		default:
			r.Detail = version(c.Before) + " → " + version(c.After)
			r.Link, r.Label = fileURL(agent, c.Path)+"?diff="+number(c.Before)+".."+number(c.After), "Diff"
		}
		rows[i] = r
	}
	return rows
}

func logDetail(c workspace.Change) (detail, link, label string) {
	switch {
	case c.Op == workspace.OpAppend && c.Entries == 1:
		return "entry " + formatNumber(c.After), "?before=" + number(c.After+1), "Entry"
	case c.Op == workspace.OpAppend:
		return "entries " + formatNumber(c.After-c.Entries+1) + " to " + formatNumber(c.After),
			"?before=" + number(c.After+1), "Entries"
	}
	return "", "", ""
}

// changesData is what the page with the journal of changes shows.
type changesData struct {
	Head   agentHead
	Days   []changeDay
	Prefix string
	Older  string // the address of older changes; "": there are none
	Newest bool   // the newest changes are on this page
	Gone   int64  // so many older changes are not kept any more
	Empty  bool
}

// A changeDay are the changes of a day, in UTC.
type changeDay struct {
	Day  time.Time
	Rows []changeRow
}

// changes shows the journal of changes.
func (h *Handler) changes(v *visit) error {
	ws, err := v.workspace(toRead)
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	before, err := positive(q.Get("before"))
	if err != nil {
		return err
	}
	d := changesData{Head: v.agentHead(partChanges), Prefix: q.Get("prefix"), Newest: before == 0}
	page, err := ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Before: before, Prefix: d.Prefix, Limit: 100})
	if err != nil {
		return err
	}
	for _, r := range v.changeRows(page.Changes) {
		day := r.Time.UTC().Truncate(24 * time.Hour)
		if n := len(d.Days); n == 0 || !d.Days[n-1].Day.Equal(day) {
			d.Days = append(d.Days, changeDay{Day: day})
		}
		last := &d.Days[len(d.Days)-1]
		last.Rows = append(last.Rows, r)
	}
	d.Empty = page.Last == 0
	if page.Next != 0 {
		d.Older = query(agentURL(ws.Agent(), "changes"), "before", number(page.Next), "prefix", d.Prefix)
	} else if page.Oldest > 1 {
		d.Gone = page.Oldest - 1
	}
	return v.renderAgent("changes", "Changes of "+ws.Agent(), d)
}
