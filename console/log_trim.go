package console

import (
	"errors"
	"net/http"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var errNoLog = &problem{http.StatusNotFound, "Not found", "There is no log of this name."}

// logConfirmData is what the page shows on which a person confirms that entries, or all of
// a log, are to be deleted.
type logConfirmData struct {
	logHead
	Delete  bool   // all of the log
	Given   string // what the person has typed
	Problem string // what is wrong with it
	Through int64  // the last entry that goes; 0: it is not known yet
	Count   int64  // entries that go
	Left    int64  // entries that stay
	Ends    []entryRow
	Stays   []entryRow
	Changed bool // entries have come since the person was asked
}

// logConfirm asks whether entries are to be deleted.
func (v *visit) logConfirm() error {
	d := logConfirmData{Delete: v.form.Get("view") == "delete", Given: v.form.Get("through")}
	return v.confirmLog(http.StatusOK, d)
}

// confirmLog answers with the page that asks.
func (v *visit) confirmLog(status int, d logConfirmData) error {
	if err := v.take(v.h.room, logBytes); err != nil {
		return err
	}
	l, err := v.ws.ViewLog(v.r.Context(), v.path(), workspace.LogQuery{Limit: 1})
	switch {
	case err != nil:
		return err
	case !l.Exists:
		return errNoLog
	}
	d.logHead = v.logHead(l)
	title := "Trim "
	if d.Delete {
		title, d.Through, d.Count = "Delete ", l.Last, d.Entries
	} else if n, ok := parseNumber(d.Given); !ok || n != 0 && n < l.First || n > l.Last {
		status, d.Problem = http.StatusBadRequest, "The log has no entry of this number."
	} else if n != 0 {
		d.Through, d.Count, d.Left = n, n-l.First+1, l.Last-n
		l, err = v.ws.ViewLog(v.r.Context(), l.Path, workspace.LogQuery{Before: n + 2, After: n - 1})
		if err != nil {
			return err
		}
	}
	for _, e := range l.Entries {
		if r := newEntryRow(d.Address, "", e); r.ID > d.Through {
			d.Stays = append(d.Stays, r)
		} else {
			d.Ends = append(d.Ends, r)
		}
	}
	return v.write(status, "log-trim", title+d.Path, d)
}

// changeLog deletes entries of a log, or all of it.
func (v *visit) changeLog() error {
	switch v.form.Get("do") {
	case "trim":
		through, ok := parseNumber(v.form.Get("through"))
		err := workspace.ErrInvalid
		if ok {
			_, err = v.ws.TrimLog(v.r.Context(), v.path(), through, workspace.TrimLogOptions{})
		}
		if errors.Is(err, workspace.ErrInvalid) {
			return v.confirmLog(http.StatusBadRequest, logConfirmData{Given: v.form.Get("through")})
		}
		if err != nil {
			return err
		}
		return v.see(logURL(v.ws.Agent(), v.path()))
	case "delete":
		seen := v.number("last")
		_, err := v.ws.DeleteLog(v.r.Context(), v.path(), workspace.DeleteLogOptions{IfLast: &seen})
		if errors.Is(err, workspace.ErrConflict) {
			return v.confirmLog(http.StatusConflict, logConfirmData{Delete: true, Changed: true})
		}
		if err != nil {
			return err
		}
		return v.see(agentURL(v.ws.Agent()))
	}
	return errBadForm
}
