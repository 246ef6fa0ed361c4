package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type searchCommand struct {
	Query   []string     `arg:""`
	Prefix  string       `placeholder:"P" help:"Search only paths that begin with this."`
	Kind    string       `enum:"all,file,log" default:"all" placeholder:"file|log" help:"Search only files, or only logs."`
	Exact   bool         `xor:"how" help:"Find lines that hold the query, byte for byte."`
	Regexp  bool         `xor:"how" help:"Find lines that match a regular expression of RE2."`
	Limit   flags.Count  `default:"10" placeholder:"N" help:"Show at most N hits, up to 50. Default: ${default}."`
	History bool         `help:"Search kept older versions and deleted files too."`
	After   flags.Number `placeholder:"N" help:"Leave out the first N hits, up to 1,000."`
}

type searchRecord struct {
	Count   int         `json:"count"`
	Total   int64       `json:"total"`
	HasMore bool        `json:"has_more"`
	Hits    []hitRecord `json:"hits"`
	Near    []string    `json:"near,omitempty"`
}

type hitRecord struct {
	Path    string    `json:"path"`
	Entry   int64     `json:"entry,omitempty"`
	Version int64     `json:"version,omitempty"` // an older one, or one of a deleted file
	Deleted bool      `json:"deleted,omitempty"`
	Line    int       `json:"line"`
	Time    time.Time `json:"time"`
	Text    string    `json:"text"`
	Matches [][2]int  `json:"matches"` // ranges of bytes in text
}

// Run prints the hits.
func (c searchCommand) Run(p *process) error {
	query := strings.Join(c.Query, " ")
	o := workspace.SearchOptions{Prefix: c.Prefix, Exact: c.Exact, Regexp: c.Regexp, Limit: int(c.Limit),
		After: int(c.After), History: c.History, MaxTokens: -1}
	if c.Kind != "all" {
		o.Kind = workspace.PathKind(c.Kind)
	}
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		r, err := ws.Search(p.ctx, query, o)
		if err != nil {
			return err
		}
		record := searchRecord{Count: len(r.Hits), Total: r.Total, HasMore: r.More, Near: r.Near,
			Hits: make([]hitRecord, len(r.Hits))}
		for i, h := range r.Hits {
			record.Hits[i] = hitRecord{h.Path, h.Entry, h.Version, h.Deleted, h.Line, h.Time.UTC(), h.Text, h.Marks}
			if h.Marks == nil {
				record.Hits[i].Matches = [][2]int{}
			}
		}
		if err := p.answer(record, func(out io.Writer) error { return p.printHits(out, r.Hits) }); err != nil ||
			p.line.JSON {
			return err
		}
		switch {
		case r.Total > 0 && len(r.Hits) == 0:
			return p.note("there are only %d hits\n", r.Total)
		case len(r.Hits) == 0:
			near := ""
			if len(r.Near) > 0 {
				near = "; similar: " + strings.Join(r.Near, ", ")
			}
			return p.note("nothing found%s in the memory of agent %s%s\n", below(c.Prefix), ws.Agent(), near)
		case r.More:
			next := int64(c.After) + int64(len(r.Hits))
			way := fmt.Sprintf("--after %d shows the next", next)
			if next > 1000 {
				way = "narrow the search with --prefix to see the others"
			}
			return p.note("%d-%d of %d; %s\n", c.After+1, next, r.Total, way)
		}
		return nil
	})
}

func (p *process) printHits(out io.Writer, hits []workspace.SearchHit) error {
	for _, h := range hits {
		place := fmt.Sprintf(":%d", h.Line)
		if h.Entry > 0 {
			place = fmt.Sprintf("#%d", h.Entry)
		}
		name := h.Path
		if h.Version > 0 {
			name += fmt.Sprintf("@%d", h.Version)
		}
		if h.Deleted {
			place += " (deleted)"
		}
		path := p.paint(name, color.FgMagenta)
		if _, err := fmt.Fprintf(out, "%s%s: %s\n", path, p.paint(place, color.FgGreen), p.marked(h)); err != nil {
			return err
		}
	}
	return nil
}

// marked returns the text of a hit with the matches in colour.
func (p *process) marked(h workspace.SearchHit) string {
	var b strings.Builder
	at := 0
	show := func(text string) string {
		if terminal.Is(p.out) {
			return terminal.Visible(text)
		}
		return text
	}
	for _, m := range h.Marks {
		b.WriteString(show(h.Text[at:m[0]]))
		b.WriteString(p.paint(show(h.Text[m[0]:m[1]]), color.FgRed, color.Bold))
		at = m[1]
	}
	b.WriteString(show(h.Text[at:]))
	return b.String()
}
