package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// changeFile does with a file what a form asks for.
func (v *visit) changeFile() error {
	switch v.form.Get("do") {
	case "save":
		return v.save()
	case "restore":
		return v.restore()
	case "move":
		return v.move()
	case "delete":
		return v.deleteFile()
	}
	return errBadForm
}

// A pathField is a field for the path of a file.
type pathField struct {
	Label, Name string
	Value       string
	Problem     string // what is wrong with it
	Exists      string // the address of the file that is there
}

const pathIsTaken = "There is a file at this path. Choose another one."

// moveData is what the page shows that gives a file another path.
type moveData struct {
	subject
	Version int64 // that the person has seen
	To      pathField
	Problem string
}

// moveData returns the page with a new path.
func (v *visit) moveData(version int64, to string) moveData {
	return moveData{subject: v.fileSubject(v.path()), Version: version,
		To: pathField{Label: "New path", Name: "to", Value: to}}
}

// movePage asks for the new path of a file.
func (v *visit) movePage() error {
	_, current, err := v.present(v.path())
	if err != nil {
		return err
	}
	return v.renderMove(http.StatusOK, v.moveData(current.Version, v.path()))
}

func (v *visit) renderMove(status int, d moveData) error {
	return v.write(status, "move", "Move "+d.Path, d)
}

// move gives a file another path.
func (v *visit) move() error {
	version := v.number("version")
	d := v.moveData(version, strings.TrimSpace(v.form.Get("to")))
	to := &d.To
	m, err := v.ws.MoveFile(v.r.Context(), d.Path, to.Value, workspace.MoveOptions{
		IfVersion: &version, IdempotencyKey: v.requestKey("move", d.Path, to.Value, number(version)),
	})
	if err == nil {
		return v.seeVersion(m.Path, m.Version)
	}
	p := v.h.problemOf(v.r.Context(), err)
	var told *workspace.Error
	switch isOurs := errors.As(err, &told); {
	case errors.Is(err, workspace.ErrNotFound):
		return err
	case isOurs && told.Way.Do == store.DoOtherPath:
		to.Problem, to.Exists = pathIsTaken, fileURL(v.ws.Agent(), to.Value)
	case isOurs && told.Arg == store.ArgNewPath:
		to.Problem = p.text
	case errors.Is(err, workspace.ErrConflict):
		return errChanged
	default:
		d.Problem = p.text
	}
	return v.renderMove(p.status, d)
}

// deleteData is what the page shows that asks before a file goes.
type deleteData struct {
	subject
	Current  workspace.VersionInfo
	Oldest   workspace.VersionInfo // that is kept
	Versions int                   // that are kept
	Bytes    int64                 // of all of them
}

// deletePage says what goes with a file, and asks.
func (v *visit) deletePage() error {
	all, current, err := v.present(v.path())
	if err != nil {
		return err
	}
	d := deleteData{subject: v.fileSubject(v.path()), Current: current, Oldest: all[0], Versions: len(all)}
	for _, version := range all {
		d.Bytes += version.Bytes
	}
	return v.render("delete", "Delete "+d.Path, d)
}

// deleteFile removes a file, if it is as the person has seen it. The next page can undo that.
func (v *visit) deleteFile() error {
	version := v.number("version")
	_, err := v.ws.DeleteFile(v.r.Context(), v.path(), workspace.DeleteOptions{
		IfVersion: &version, IdempotencyKey: v.requestKey("delete", v.path(), number(version)),
	})
	if err != nil {
		return changedMeanwhile(err)
	}
	return v.see(query(agentURL(v.ws.Agent()), "deleted", v.path()))
}

// restore makes a kept version the newest one again.
func (v *visit) restore() error {
	version := v.number("version")
	began := v.number("current")
	o := workspace.RestoreOptions{Version: version, IfVersion: &began}
	if began > 0 { // a deleted file can be deleted and restored again
		o.IdempotencyKey = v.requestKey("restore", v.path(), number(version), number(began))
	}
	w, err := v.ws.RestoreFile(v.r.Context(), v.path(), o)
	if err != nil {
		return changedMeanwhile(err)
	}
	return v.seeVersion(w.Path, w.Version)
}

// changedMeanwhile words the error of a change that rests on a version that is not the newest.
func changedMeanwhile(err error) error {
	if errors.Is(err, workspace.ErrConflict) {
		return errChanged
	}
	return err
}
