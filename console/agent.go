package console

import (
	"strings"
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
func (v *visit) agent() (err error) {
	ctx, agent := v.r.Context(), v.ws.Agent()
	d := agentData{Head: v.agentHead("Files"), Below: v.form.Get("after")}
	if d.Usage, err = v.ws.Usage(ctx); err != nil {
		return err
	}
	if d.Profile, _, err = v.person.Service.Profile(ctx, agent); err != nil {
		return err
	}
	if err := v.take(v.h.room, 64<<10+fileMemory*min(d.Usage.Files, maxFiles)); err != nil {
		return err
	}
	files, err := v.ws.ViewFiles(ctx, workspace.FilesQuery{After: d.Below, Limit: maxFiles})
	if err != nil {
		return err
	}
	d.Tree = newTree(agent, d.Below, files)
	if files.Next != "" {
		d.More = query(agentURL(agent), "after", files.Next)
	}
	logs, err := v.ws.ListLogs(ctx, workspace.ListOptions{Limit: maxLogs})
	if err != nil {
		return err
	}
	d.Logs, d.AllLogs = logs.Logs, !logs.More
	changes, err := v.ws.ChangeLog(ctx, workspace.ChangeLogQuery{Limit: newest})
	if err != nil {
		return err
	}
	d.Changes = changeRows(agent, changes.Changes)
	if len(files.Files) == 0 && len(d.Logs) == 0 && d.Below == "" {
		d.Configs = v.configs(agent, "")
	}
	v.follow()
	return v.render("agent", agent, d)
}

// configs returns what a person pastes into clients, as Options.Config.
func (v *visit) configs(agent, key string) []Config {
	if v.h.o.Config == nil {
		return nil
	}
	return v.h.o.Config(v.r.Context(), agent, key)
}

// agentHead returns the head of a page of the agent in the address.
func (v *visit) agentHead(tab string) agentHead {
	return agentHead{Agent: v.ws.Agent(), Tab: tab, Write: v.person.Write}
}

// A changeRow is a row of the journal of changes.
type changeRow struct {
	workspace.Change
	Agent  string
	Detail string // the versions, or the entries
	Link   string // what shows the change; "": nothing does
	Label  string // of the link
}

// Verb is what the change did, in a word.
func (r changeRow) Verb() string {
	if r.Op == workspace.OpCreate {
		return "Write"
	}
	return strings.ToUpper(string(r.Op[:1])) + string(r.Op[1:])
}

// changeRows words changes of an agent.
func changeRows(agent string, changes []workspace.Change) []changeRow {
	rows := make([]changeRow, len(changes))
	for i, c := range changes {
		r := changeRow{Change: c, Agent: agent}
		file := fileURL(agent, c.Path)
		switch {
		case c.Op == workspace.OpAppend:
			r.Detail, r.Label = "entry "+formatNumber(c.After), "Entry"
			if c.Entries > 1 {
				r.Detail = "entries " + formatNumber(c.After-c.Entries+1) + " to " + formatNumber(c.After)
				r.Label = "Entries"
			}
			r.Link = logURL(agent, c.Path) + "?before=" + number(c.After+1)
		case c.Kind == workspace.KindLog:
		case c.After == 0:
			r.Detail = version(c.Before)
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
	return rows
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
func (v *visit) changes() error {
	before := v.number("before")
	agent := v.ws.Agent()
	d := changesData{Head: v.agentHead("Changes"), Prefix: v.form.Get("prefix"), Newest: before == 0}
	page, err := v.ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Before: before, Prefix: d.Prefix, Limit: 100})
	if err != nil {
		return err
	}
	for _, r := range changeRows(agent, page.Changes) {
		day := r.Time.UTC().Truncate(24 * time.Hour)
		if n := len(d.Days); n == 0 || !d.Days[n-1].Day.Equal(day) {
			d.Days = append(d.Days, changeDay{Day: day})
		}
		last := &d.Days[len(d.Days)-1]
		last.Rows = append(last.Rows, r)
	}
	d.Empty = page.Last == 0
	if page.Next != 0 {
		d.Older = query(agentURL(agent, "changes"), "before", number(page.Next), "prefix", d.Prefix)
	} else if page.Oldest > 1 {
		d.Gone = page.Oldest - 1
	}
	v.follow()
	return v.render("changes", "Changes of "+agent, d)
}
