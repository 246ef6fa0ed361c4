package mcpserver

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var listChanges = tool{
	name:        "changes",
	description: "List what others changed in your memory below prefix since a cursor. all: you too",
	scope:       reads,
	weight:      large,
	properties: []strictjson.Field{
		{Name: "since", Kind: "integer"},
		{Name: "prefix", Kind: "string"},
		{Name: "diffs", Kind: "boolean"},
		{Name: "all", Kind: "boolean"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		c, err := ws.Changes(ctx, a.changes())
		if err != nil {
			return result{}, err
		}
		return changesResult(c), nil
	},
}

// changes returns the options of a call. Without a cursor it asks for what changed last.
func (a *arguments) changes() workspace.ChangesOptions {
	since := a.number("since")
	o := workspace.ChangesOptions{
		Recent: since == nil, Prefix: a.Text("prefix"), Diffs: a.Flag("diffs"), Compare: a.compare,
	}
	if since != nil {
		o.Since = *since
	}
	if a.author.Session != "" && !a.Flag("all") {
		o.Except = &a.author
	}
	return o
}

type changesRecord struct {
	Cursor  int64 `json:"cursor"`
	Count   int   `json:"count"`
	HasMore bool  `json:"has_more"`
	TooOld  bool  `json:"too_old,omitempty"`
	Omitted int   `json:"omitted,omitempty"`
}

// changesResult returns a line for each path, and then the differences.
func changesResult(c workspace.Changes) result {
	res := result{record: changesRecord{c.Cursor, len(c.Paths), c.More, c.TooOld, c.Omitted}}
	if len(c.Paths) == 0 {
		return res
	}
	res.body = []byte("op\tkind\tpath\tbefore\tafter\tby\twhen")
	for _, p := range c.Paths {
		path := p.Path
		if p.From != "" {
			path = p.From + " -> " + path
		}
		res.body = append(res.body, '\n')
		before, after := strconv.FormatInt(p.Before, 10), strconv.FormatInt(p.After, 10)
		for _, column := range []string{string(p.Op), string(p.Kind), path, before, after, shownAuthor(p.Author)} {
			res.body = append(append(res.body, column...), '\t')
		}
		res.body = p.Time.UTC().AppendFormat(res.body, minute)
	}
	for _, d := range c.Diffs {
		res.body = append(append(res.body, '\n'), d.Text...)
	}
	return res
}

// shownAuthor returns the name of a client, in one column of a line.
func shownAuthor(a workspace.Author) string {
	const most = 40
	name := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, cmp.Or(a.Client, a.Key, "-"))
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return name
}
