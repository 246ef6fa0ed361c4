package console

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
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
func (h *Handler) logConfirm(v *visit, view string) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	d := logConfirmData{Delete: view == "delete", Given: v.r.URL.Query().Get("through")}
	return v.confirmLog(ws, http.StatusOK, d)
}

// confirmLog answers with the page that asks.
func (v *visit) confirmLog(ws *workspace.Workspace, status int, d logConfirmData) error {
	if err := v.take(v.h.room, logBytes); err != nil {
		return err
	}
	l, err := ws.ViewLog(v.r.Context(), v.r.PathValue("path"), workspace.LogQuery{Limit: 1})
	switch {
	case err != nil:
		return err
	case !l.Exists:
		return errNoLog
	}
	d.logHead = v.logHead(ws, l)
	switch {
	case d.Delete:
		d.Through, d.Count = l.Last, d.Entries
		d.Ends = rowsOf(d.Address, l.Entries)
	case d.Given != "" && d.Problem == "":
		if d.Problem = d.setThrough(); d.Problem != "" {
			status = http.StatusBadRequest
			break
		}
		ends, err := ws.ViewLog(v.r.Context(), l.Path, workspace.LogQuery{Before: d.Through + 2, After: d.Through - 1})
		if err != nil {
			return err
		}
		for _, r := range rowsOf(d.Address, ends.Entries) {
			if r.Number > d.Through {
				d.Stays = append(d.Stays, r)
			} else {
				d.Ends = append(d.Ends, r)
			}
		}
	}
	title := "Trim "
	if d.Delete {
		title = "Delete "
	}
	return v.write(status, "log-trim", title+text.Plain(d.Path), v.agentPlace(), d)
}

func rowsOf(address string, entries []workspace.Entry) (rows []entryRow) {
	for _, e := range entries {
		rows = append(rows, newEntryRow(address, "", e))
	}
	return rows
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
func (h *Handler) changeLog(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	name := v.r.PathValue("path")
	switch v.form.Get("do") {
	case "trim":
		through, err := strconv.ParseInt(v.form.Get("through"), 10, 64)
		if err == nil {
			_, err = ws.TrimLog(v.r.Context(), name, through, workspace.DeleteOptions{})
		}
		if errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) ||
			errors.Is(err, workspace.ErrInvalid) {
			return v.confirmLog(ws, http.StatusBadRequest, logConfirmData{Given: v.form.Get("through")})
		}
		if err != nil {
			return err
		}
		return v.see(logURL(ws.Agent(), name))
	case "delete":
		seen, err := versionOf(v.form.Get("last"))
		if err != nil {
			return err
		}
		_, err = ws.DeleteLog(v.r.Context(), name, workspace.DeleteOptions{IfLast: &seen})
		if errors.Is(err, workspace.ErrConflict) {
			return v.confirmLog(ws, http.StatusConflict, logConfirmData{Delete: true, Changed: true})
		}
		if err != nil {
			return err
		}
		return v.see(agentURL(ws.Agent()))
	}
	return errNoSuchAct
}
