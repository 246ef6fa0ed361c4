package console

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	linesRoom = 1 << 20          // for one page of entries
	pageTime  = 30 * time.Second // for a browser to take it
)

// A logLine is an entry of a log as a line of JSON.
type logLine struct {
	Number  int64     `json:"number"`
	Time    time.Time `json:"time"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	Key     string    `json:"key,omitempty"`
	Text    string    `json:"text"`
}

// logLines sends the entries that the log has now, the oldest first, each as a line of
// JSON. It holds one page of them at a time. A browser that does not read is left.
func (v *visit) logLines() error {
	if err := v.take(v.h.room, linesRoom); err != nil {
		return err
	}
	ctx := v.r.Context()
	l, err := v.ws.ViewLog(ctx, v.path(), workspace.LogQuery{Limit: 1})
	switch {
	case err != nil:
		return err
	case !l.Exists:
		return errNoLog
	}
	v.setRawHeaders(l.Path + ".jsonl")
	if v.r.Method == http.MethodHead {
		return nil
	}
	if err := v.writeLines(l); err != nil {
		var told *problem
		if ctx.Err() == nil && !errors.Is(err, ErrSignedOut) && !errors.As(err, &told) {
			v.h.o.Logger.ErrorContext(ctx, "console: a log was not sent whole", "error", err)
		}
		panic(http.ErrAbortHandler) // the browser must not take this for all
	}
	return nil
}

// writeLines writes the entries up to the last one of a view. It looks at the rights of the
// person before each page. Errors: those of sameRights, of [workspace.Workspace.ViewLog], and
// of the connection.
func (v *visit) writeLines(l workspace.LogView) error {
	w := bufio.NewWriterSize(v.w, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for after, step := l.First-1, int64(100); after < l.Last; {
		if err := v.sameRights(); err != nil {
			return err
		}
		before := min(after+step, l.Last) + 1
		page, err := v.ws.ViewLog(v.r.Context(), l.Path, workspace.LogQuery{After: after, Before: before})
		switch {
		case err != nil:
			return err
		case !page.Exists:
			return w.Flush() // it was deleted meanwhile
		case page.Next > 0:
			step = max(1, (before-page.Next)/2) // not all fit
			continue
		}
		// A server without deadlines has none.
		_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(pageTime))
		for _, e := range slices.Backward(page.Entries) {
			err := lines.Encode(logLine{e.ID, e.Time, e.Author.Client, e.Author.Version, e.Author.Key,
				string(e.Content)})
			if err != nil {
				return err
			}
		}
		after, step = before-1, min(100, 2*step)
	}
	return w.Flush()
}
