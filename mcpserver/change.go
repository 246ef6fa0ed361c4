package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var listChanges = tool{
	name: "changes",
	description: "List what others changed in your memory at or below prefix since the cursor of an earlier call. " +
		"all: each change, yours too",
	scope:  reads,
	weight: large,
	properties: []strictjson.Field{
		{Name: "since", Kind: "integer"},
		{Name: "prefix", Kind: "string"},
		{Name: "diffs", Kind: "boolean"},
		{Name: "all", Kind: "boolean"},
	},
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		o := a.changes()
		c, err := ws.Changes(ctx, o)
		if err != nil {
			return result{}, err
		}
		return changesResult(c, o.Recent), nil
	},
}

// changes returns the options of a call. Without a cursor it asks for what changed last.
func (a *arguments) changes() workspace.ChangesOptions {
	since := a.number("since")
	o := workspace.ChangesOptions{
		Recent: since == nil, Each: a.Flag("all"), Prefix: a.Text("prefix"), Diffs: a.Flag("diffs"), Compare: a.compare,
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
	Cursor  int64  `json:"cursor"`
	Count   int    `json:"count"`
	HasMore bool   `json:"has_more"`
	Older   string `json:"older,omitempty"` // what lists the older ones that are left out
	Last    int64  `json:"last,omitempty"`  // with HasMore, the last revision if the rows do not reach it
	Own     int64  `json:"own,omitempty"`   // if nobody else has changed anything
	TooOld  bool   `json:"too_old,omitempty"`
	Omitted int    `json:"omitted,omitempty"`
}

// changesResult returns a line for each path, and then the differences. recent is that of the options.
func changesResult(c workspace.Changes, recent bool) result {
	rec := changesRecord{Cursor: c.Cursor, Count: len(c.Paths), TooOld: c.TooOld, Omitted: c.Omitted}
	if recent = recent || c.TooOld; recent && c.More {
		rec.Older = fmt.Sprintf("since %d", c.Oldest)
	}
	rec.HasMore = c.More && !recent
	if c.Last > c.Cursor {
		rec.Last = c.Last
	}
	if rec.Count == 0 {
		rec.Own = c.Own
		return result{record: rec}
	}
	res := result{record: rec}
	res.body = []byte("op\tkind\tpath\tbefore\tafter\tby\twhen")
	for i, p := range c.Paths {
		path := p.Path
		if p.From != "" {
			path = p.From + " -> " + path
		}
		res.body = append(res.body, '\n')
		before, after := strconv.FormatInt(p.Before, 10), strconv.FormatInt(p.After, 10)
		for _, column := range []string{string(p.Op), string(p.Kind), path, before, after, shownAuthors(c.Authors[i])} {
			res.body = append(append(res.body, column...), '\t')
		}
		res.body = p.Time.UTC().AppendFormat(res.body, minute)
	}
	for _, d := range c.Diffs {
		if d.Text != nil {
			res.body = append(append(res.body, '\n'), d.Text...)
		}
		res.body = append(res.body, leftOut(c.Paths[d.Row], d)...)
	}
	if n := c.Unlisted(); n > 0 {
		res.body = fmt.Appendf(res.body, "\n%d more left out", n)
	}
	return res
}

// leftOut returns a line that says what is not shown of a path, and which call reads it.
func leftOut(p workspace.Change, d workspace.PathDiff) string {
	call, since := "read_file", "since_version"
	if p.Kind == workspace.KindLog {
		call, since = "read_log", "since_entry"
	}
	switch {
	case d.Same:
		return "\n" + p.Path + ": text unchanged"
	case d.LeftOut == "":
		return ""
	case d.Gone:
		return fmt.Sprintf("\n%s: %s", p.Path, d.LeftOut)
	case d.Version > 0:
		call = fmt.Sprintf("%s version %d", call, d.Version)
	case d.Since > 0:
		call = fmt.Sprintf("%s %s %d", call, since, d.Since)
	}
	return fmt.Sprintf("\n%s: %s; %s", p.Path, d.LeftOut, call)
}

// shownAuthors returns the names of clients, in one column of a line.
func shownAuthors(authors []workspace.Author) string {
	var names []string
	for _, a := range authors {
		names = append(names, shownAuthor(a))
	}
	return strings.Join(names, ", ")
}

// shownAuthor returns the name of a client, without a comma.
func shownAuthor(a workspace.Author) string {
	const most = 40
	name := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == ',' {
			return ' '
		}
		return r
	}, cmp.Or(a.Client, a.Key, "-"))
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return name
}
