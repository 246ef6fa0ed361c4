package console

import (
	"errors"
	"mime"
	"net/http"
	"path"

	"github.com/agent-scratchpad/scratchpad/console/internal/logline"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const linesRoom = 1 << 20 // for one page of entries

// logLines sends the entries that the log has now, the oldest first, each as a line of
// JSON. It holds one page of them at a time. A browser that does not read is left.
func (h *Handler) logLines(v *visit) error {
	ws, err := v.workspace(toRead)
	if err != nil {
		return err
	}
	leave, err := v.take(h.room, linesRoom)
	if err != nil {
		return err
	}
	defer leave()
	name := v.r.PathValue("path")
	first, err := ws.ViewLog(v.r.Context(), name, workspace.LogQuery{Limit: 1})
	switch {
	case err != nil:
		return err
	case !first.Exists:
		return errNoLog
	}
	header := v.w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	if v.r.URL.Query().Has("download") {
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(first.Path) + ".jsonl"}))
	}
	if v.r.Method == http.MethodHead {
		return nil
	}
	if err := logline.Write(v.r.Context(), v.w, ws, first, v.sameRights); err != nil {
		var told *problem
		if v.r.Context().Err() == nil && !errors.Is(err, ErrSignedOut) && !errors.As(err, &told) {
			h.o.Logger.ErrorContext(v.r.Context(), "console: a log was not sent whole", "error", err)
		}
		panic(http.ErrAbortHandler) // the browser must not take this for all
	}
	return nil
}
