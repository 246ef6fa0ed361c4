package mcpserver

import (
	"context"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var page = []strictjson.Field{
	{Name: "prefix", Kind: "string"},
	{Name: "after", Kind: "string"},
}

var listFiles = tool{
	name:        "list_files",
	description: "List files in your memory by path prefix; for more, pass next as after",
	scope:       reads,
	weight:      light,
	home:        true,
	properties:  page,
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		l, err := ws.ListFiles(ctx, a.page())
		body := []byte("path\tversion\tbytes\tupdated")
		for _, f := range l.Files {
			body = row(body, a.under+f.Path, f.Updated, f.Version, f.Bytes)
		}
		if l.Next != "" {
			l.Next = a.under + l.Next
		}
		return result{listRecord{len(l.Files), l.More, l.Next}, body}, err
	},
}

var listLogs = tool{
	name:        "list_logs",
	description: "List logs in your memory by path prefix; for more, pass next as after",
	scope:       reads,
	weight:      light,
	properties:  page,
	run: func(ctx context.Context, ws *workspace.Workspace, a *arguments) (result, error) {
		l, err := ws.ListLogs(ctx, a.page())
		body := []byte("path\tentries\tbytes\tlast_entry_id\tupdated")
		for _, g := range l.Logs {
			body = row(body, g.Path, g.Updated, g.Entries(), g.Bytes, g.Last)
		}
		return result{listRecord{len(l.Logs), l.More, l.Next}, body}, err
	},
}

type listRecord struct {
	Count   int    `json:"count"`
	HasMore bool   `json:"has_more"`
	Next    string `json:"next,omitempty"`
}

func (a *arguments) page() workspace.ListOptions {
	return workspace.ListOptions{Prefix: a.Text("prefix"), After: a.Text("after")}
}

const minute = "2006-01-02T15:04Z" // how lists show a time, which is in UTC

// row appends a line to a list. No column can hold a tab.
func row(body []byte, path string, updated time.Time, numbers ...int64) []byte {
	body = append(append(body, '\n'), path...)
	for _, n := range numbers {
		body = strconv.AppendInt(append(body, '\t'), n, 10)
	}
	return updated.UTC().AppendFormat(append(body, '\t'), minute)
}
