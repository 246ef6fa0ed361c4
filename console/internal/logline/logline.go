// Package logline sends the entries of a log as lines of JSON.
package logline

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const pageTime = 30 * time.Second // for a browser to take a page of entries

// A line is an entry of a log as a line of JSON.
type line struct {
	Number  int64     `json:"number"`
	Time    time.Time `json:"time"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	Key     string    `json:"key,omitempty"`
	Text    string    `json:"text"`
}

// Write answers with the entries up to the last one of a view, the oldest first, each as a
// line of JSON. It holds one page of them at a time, and leaves a browser that does not
// read. may is asked before each page. Errors: those of may, of [workspace.Workspace.ViewLog], and of the connection.
func Write(ctx context.Context, to http.ResponseWriter, ws *workspace.Workspace, l workspace.LogView, may func() error) error {
	rc := http.NewResponseController(to)
	w := bufio.NewWriterSize(to, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	last := l.Last
	for after, step := l.First-1, int64(100); after < last; {
		if err := may(); err != nil {
			return err
		}
		before := min(after+step, last) + 1
		page, err := ws.ViewLog(ctx, l.Path, workspace.LogQuery{After: after, Before: before})
		switch {
		case err != nil:
			return err
		case !page.Exists:
			return w.Flush() // it was deleted meanwhile
		case page.Next > 0:
			step = max(1, (before-page.Next)/2) // not all fit
			continue
		}
		_ = rc.SetWriteDeadline(time.Now().Add(pageTime)) // a server without deadlines has none
		for i := len(page.Entries) - 1; i >= 0; i-- {
			e := page.Entries[i]
			if err := lines.Encode(line{e.ID, e.Time, e.Author.Client, e.Author.Version, e.Author.Key, string(e.Content)}); err != nil {
				return err
			}
		}
		after, step = before-1, min(100, 2*step)
	}
	return w.Flush()
}
