package console

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var (
	errNoLog     = &problem{http.StatusNotFound, "Not found", "There is no log of this name."}
	errNoSuchAct = &problem{http.StatusBadRequest, "That does not work",
		"The form asks for nothing that can be done here."}
)

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
	return v.confirmLog(http.StatusOK, logConfirmData{Delete: v.form.Get("view") == "delete", Given: v.form.Get("through")})
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
	} else if d.Given != "" {
		if d.Problem = d.setThrough(); d.Problem != "" {
			status = http.StatusBadRequest
		} else if l, err = v.ws.ViewLog(v.r.Context(), l.Path, workspace.LogQuery{
			Before: d.Through + 2, After: d.Through - 1}); err != nil {
			return err
		}
	}
	for _, e := range l.Entries {
		if r := newEntryRow(d.Address, "", e); r.Number > d.Through {
			d.Stays = append(d.Stays, r)
		} else {
			d.Ends = append(d.Ends, r)
		}
	}
	return v.write(status, "log-trim", title+d.Path, d)
}

// setThrough reads the number that the person has typed.
func (d *logConfirmData) setThrough() (problem string) {
	n, err := strconv.ParseInt(d.Given, 10, 64)
	switch {
	case d.Entries == 0:
		return "The log has no entries."
	case err != nil:
		return "This is not the number of an entry."
	case n > d.Log.Last:
		return "The last entry is " + number(d.Log.Last) + "."
	case n < d.Log.First:
		return "The first entry is " + number(d.Log.First) + "."
	}
	d.Through, d.Count, d.Left = n, n-d.Log.First+1, d.Log.Last-n
	return ""
}

// changeLog deletes entries of a log, or all of it.
func (v *visit) changeLog() error {
	switch v.form.Get("do") {
	case "trim":
		through, ok := parseNumber(v.form.Get("through"))
		err := workspace.ErrInvalid
		if ok {
			_, err = v.ws.TrimLog(v.r.Context(), v.path(), through, workspace.DeleteOptions{})
		}
		if errors.Is(err, workspace.ErrInvalid) {
			return v.confirmLog(http.StatusBadRequest, logConfirmData{Given: v.form.Get("through")})
		}
		if err != nil {
			return err
		}
		return v.see(logURL(v.ws.Agent(), v.path()))
	case "delete":
		seen, err := v.number("last")
		if err != nil {
			return err
		}
		_, err = v.ws.DeleteLog(v.r.Context(), v.path(), workspace.DeleteOptions{IfLast: &seen})
		if errors.Is(err, workspace.ErrConflict) {
			return v.confirmLog(http.StatusConflict, logConfirmData{Delete: true, Changed: true})
		}
		if err != nil {
			return err
		}
		return v.see(agentURL(v.ws.Agent()))
	}
	return errNoSuchAct
}
