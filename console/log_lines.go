package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	linesRoom = 1 << 20          // for one page of entries
	pageTime  = 30 * time.Second // for a browser to take it
)

// logLines sends the entries that the log has now, the oldest first, each as a line of
// JSON. It holds one page of them at a time. A browser that does not read is left.
func (h *Handler) logLines(v *visit) error {
	ws, err := v.workspace(toRead)
	if err != nil {
		return err
	}
	if err := v.take(h.room, linesRoom); err != nil {
		return err
	}
	name := v.r.PathValue("path")
	first, err := ws.ViewLog(v.r.Context(), name, workspace.LogQuery{Limit: 1})
	switch {
	case err != nil:
		return err
	case !first.Exists:
		return errNoLog
	}
	v.setRawHeaders(first.Path + ".jsonl")
	if v.r.Method == http.MethodHead {
		return nil
	}
	if err := writeLines(v.r.Context(), v.w, ws, first, v.sameRights); err != nil {
		var told *problem
		if v.r.Context().Err() == nil && !errors.Is(err, ErrSignedOut) && !errors.As(err, &told) {
			h.o.Logger.ErrorContext(v.r.Context(), "console: a log was not sent whole", "error", err)
		}
		panic(http.ErrAbortHandler) // the browser must not take this for all
	}
	return nil
}

// A logLine is an entry of a log as a line of JSON.
type logLine struct {
	Number  int64     `json:"number"`
	Time    time.Time `json:"time"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	Key     string    `json:"key,omitempty"`
	Text    string    `json:"text"`
}

// writeLines answers with the entries up to the last one of a view, the oldest first, each as a
// line of JSON. It holds one page of them at a time, and leaves a browser that does not
// read. may is asked before each page. Errors: those of may, of
// [workspace.Workspace.ViewLog], and of the connection.
func writeLines(ctx context.Context, to http.ResponseWriter, ws *workspace.Workspace, l workspace.LogView,
	may func() error) error {
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
			if err := lines.Encode(logLine{e.ID, e.Time, e.Author.Client, e.Author.Version, e.Author.Key,
				string(e.Content)}); err != nil {
				return err
			}
		}
		after, step = before-1, min(100, 2*step)
	}
	return w.Flush()
}
