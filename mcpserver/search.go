package mcpserver

import (
	"context"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var searchTool = tool{
	name: "search",
	description: "Find up to limit (at most 50) passages in your memory below prefix, by words, or lines by exact " +
		"text; after: skip so many; history: in older versions and deleted files too",
	scope:  reads,
	weight: heavy,
	home:   true,
	properties: []strictjson.Field{
		{Name: "query", Kind: "string", Required: true},
		{Name: "prefix", Kind: "string"},
		{Name: "exact", Kind: "boolean"},
		{Name: "limit", Kind: "integer"},
		{Name: "after", Kind: "integer"},
		{Name: "history", Kind: "boolean"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		r, err := a.search(ctx, ws)
		if err != nil {
			return result{}, err
		}
		return searchResult(a, r), nil
	},
}

// searchTokens is the most that the hits of an answer cost, as package workspace has it.
const searchTokens = 600

type searchRecord struct {
	Count   int      `json:"count"`
	Total   int64    `json:"total"`
	HasMore bool     `json:"has_more"`
	Near    []string `json:"near,omitempty"` // words of the texts, if nothing was found
	Cut     string   `json:"cut,omitempty"`  // the bound that left hits out
}

// searchResult returns a line for each hit, with tabs between its columns. The text of a
// hit has neither tabs nor line feeds.
func searchResult(a *arguments, r workspace.SearchResult) result {
	var body []byte
	for i, h := range r.Hits {
		if i > 0 {
			body = append(body, '\n')
		}
		body = h.AppendLine(append(body, a.under...))
	}
	record := searchRecord{Count: len(r.Hits), Total: r.Total, HasMore: r.More, Near: r.Near}
	if r.Cut > 0 {
		record.Cut = fmt.Sprintf("%d tokens", searchTokens)
	}
	return result{record, body}
}
