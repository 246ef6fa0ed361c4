package console

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	searchHits = 50
	searchTime = 10 * time.Second
	maxFinds   = 2  // searches at once; one of each person
	linesAbove = 15 // a hit; a page of a file has room for so many of the longest lines
)

// searchData is what a page with a search shows.
type searchData struct {
	Head    agentHead // with Agent "": of all agents of the person
	Find    search
	Problem string // what is wrong with the search
	Asked   bool   // there is a result
	Hits    []hitRow
	Result  workspace.AgentsSearch
	Exact   string // the address of the search for the exact text; "": it is that already
	Next    string // the address of the next hits; "": there are no more that the search gives
	Wider   string // the address of the search without kind and prefix; "": it has neither
	All     string // the address of the search over all agents; "": it is that already
}

// A search is what a person looks for.
type search struct {
	Page  string // the address of the page
	Query string
	Kind  string // "old": older versions and deleted files too
	Way   string // "", "exact" or "regexp"
	Part  string // how the paths begin
	After int    // how many hits come before those of the page
}

const withOld = "old"

// A hitRow is a passage that was found.
type hitRow struct {
	workspace.SearchHit
	Address string
	Marked  template.HTML
}

// searchOf reads a search from the query of an address.
func searchOf(page string, q url.Values) search {
	after, _ := strconv.Atoi(q.Get("after"))
	return search{Page: page, Query: q.Get("q"), Kind: q.Get("kind"), Way: q.Get("as"), Part: q.Get("prefix"),
		After: after}
}

// address returns the address of the search.
func (s search) address() string {
	after := ""
	if s.After > 0 {
		after = strconv.Itoa(s.After)
	}
	return query(s.Page, "q", s.Query, "kind", s.Kind, "as", s.Way, "prefix", s.Part, "after", after)
}

func (s search) options() workspace.SearchOptions {
	o := workspace.SearchOptions{
		Prefix: s.Part, Kind: workspace.PathKind(s.Kind), Exact: s.Way == "exact", Regexp: s.Way == "regexp",
		Limit: searchHits, After: s.After, MaxTokens: -1,
	}
	if s.Kind == withOld {
		o.Kind, o.History = "", true
	}
	return o
}

// For returns the address of the same search for another query.
func (s search) For(query string) string {
	s.Query, s.After = query, 0
	return s.address()
}

// searchAgent searches the agent in the address.
func (v *visit) searchAgent() error {
	agent := v.ws.Agent()
	d := searchData{Head: v.agentHead("Search"), Find: searchOf(agentURL(agent, "search"), v.form),
		All: searchOf("/search", v.form).address()}
	return v.search("Search in "+agent, d, func(ctx context.Context) (workspace.AgentsSearch, error) {
		r, err := v.ws.Search(ctx, d.Find.Query, d.Find.options())
		return workspace.AgentsSearch{SearchResult: r, Agents: 1}, err
	})
}

// searchAll searches all agents of the person.
func (v *visit) searchAll() error {
	p := v.person
	switch agent, ok := p.only(); {
	case !p.Read:
		return errMayNotRead
	case ok:
		return v.see(searchOf(agentURL(agent, "search"), v.form).address())
	}
	v.Part = partSearch
	d := searchData{Find: searchOf("/search", v.form)}
	return v.search("Search", d, func(ctx context.Context) (workspace.AgentsSearch, error) {
		return p.Service.Search(ctx, p.Agents, d.Find.Query, d.Find.options())
	})
}

// search answers with the result of a search.
func (v *visit) search(title string, d searchData, run func(context.Context) (workspace.AgentsSearch, error)) error {
	if other := d.Find; other.Way != "exact" {
		other.Way, other.After = "exact", 0
		d.Exact = other.address()
	}
	if other := d.Find; other.Kind != "" || other.Part != "" {
		other.Kind, other.Part, other.After = "", "", 0
		d.Wider = other.address()
	}
	status := http.StatusOK
	if d.Find.Query != "" {
		if err := v.take(v.h.finds, 1); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(v.r.Context(), searchTime)
		defer cancel()
		var err error
		d.Result, err = run(ctx)
		v.leave() // while the answer is written, others can search
		switch {
		case err == nil:
			d.Asked = true
			d.setHits(v.person)
		case ctx.Err() != nil && v.r.Context().Err() == nil:
			status, d.Problem = http.StatusServiceUnavailable, "The search took too long. Say how the paths begin, "+
				"or look for a word that is rarer."
		case errors.Is(err, workspace.ErrInvalid):
			status, d.Problem = http.StatusBadRequest, v.h.problemOf(ctx, err).text
		default:
			return err
		}
	}
	return v.write(status, "search", title, d)
}

// setHits puts what was found on the page.
func (d *searchData) setHits(p Person) {
	const last = 1000 // the most hits before those of a page
	if next := d.Find; d.Result.More && next.After+len(d.Result.Hits) <= last {
		next.After += len(d.Result.Hits)
		d.Next = next.address()
	}
	for _, hit := range d.Result.Hits {
		if hit.Agent = cmp.Or(hit.Agent, d.Head.Agent); !p.Allow(hit.Agent) {
			continue
		}
		r := hitRow{SearchHit: hit}
		if hit.Entry > 0 {
			r.Address = logFind{Before: hit.Entry + 1}.address(logURL(hit.Agent, hit.Path)) + "#e" + number(hit.Entry)
		} else {
			r.Address = fileURL(hit.Agent, hit.Path) + "?view=source"
			if hit.Version > 0 {
				r.Address += "&v=" + number(hit.Version)
			}
			if hit.Line > linesAbove {
				r.Address += "&from=" + number(int64(hit.Line-linesAbove))
			}
			r.Address += "#L" + number(int64(hit.Line))
		}
		r.Marked = text.Marked(hit.Text, 0, hit.Marks, text.Hit)
		d.Hits = append(d.Hits, r)
	}
}
