package console

import (
	"html/template"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxSummaryText = 128 << 10 // bytes of a summary that the page shows
	summaryRoom    = 4 << 20   // for a page of summaries, or the texts of those of a file
)

// summariesData is what the page with the summaries of an agent shows.
type summariesData struct {
	Head  agentHead
	Spend workspace.SummarySpend
	Rows  []summaryRow
	Path  string // of the one file whose summaries are here, with their texts; "": all files
	Paged bool   // this is not the first page
	Next  string // the address of the next page; "": there is none
	First string // the address of the first page
}

// A summaryRow is a summary in the list.
type summaryRow struct {
	workspace.SummaryInfo
	Address string // of the version of the file
	Text    string // the address of the text
	Shown   template.HTML
	Cut     int64 // bytes at the end that are not shown
}

// summaries shows the summaries of an agent, or with a path those of a file.
func (v *visit) summaries() (err error) {
	if err := v.take(v.h.room, summaryRoom); err != nil {
		return err
	}
	agent, after := v.ws.Agent(), v.form.Get("after")
	d := summariesData{Head: v.agentHead("Summaries"), Path: v.form.Get("path"), Paged: after != "",
		First: agentURL(agent, "summaries")}
	if d.Spend, err = v.ws.SummarySpend(v.r.Context()); err != nil {
		return err
	}
	page, err := v.ws.Summaries(v.r.Context(), workspace.SummariesQuery{Path: d.Path, After: after})
	if err != nil {
		return err
	}
	if d.Path != "" && len(page.Summaries) == 0 {
		return errNothingHere
	}
	for _, s := range page.Summaries {
		shown := string(s.Content[:min(len(s.Content), maxSummaryText)])
		d.Rows = append(d.Rows, summaryRow{SummaryInfo: s, Shown: text.HTML(shown),
			Cut:     int64(len(s.Content) - len(shown)),
			Address: fileURL(agent, s.Path) + "?v=" + number(s.Version), Text: query(d.First, "path", s.Path)})
	}
	if page.Next != "" {
		d.Next = query(d.First, "after", page.Next)
	}
	v.follow()
	return v.render("summaries", "Summaries of "+agent, d)
}
