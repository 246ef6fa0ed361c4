package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// changeFile does with a file what a form asks for.
func (h *Handler) changeFile(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	switch v.form.Get("do") {
	case "save":
		return v.save(ws)
	case "restore":
		return v.restore(ws)
	case "move":
		return v.move(ws)
	case "delete":
		return v.deleteFile(ws)
	}
	return errBadForm
}

// moveData is what the page shows that gives a file another path.
type moveData struct {
	subject
	Version     int64  // that the person has seen
	To          string // the new path
	PathProblem string // what is wrong with it
	Exists      string // the address of the file that is there
	Problem     string
}

// PathLabel, PathName and PathValue are of the field for the new path.
func (d moveData) PathLabel() string { return "New path" }
func (d moveData) PathName() string  { return "to" }
func (d moveData) PathValue() string { return d.To }

// movePage asks for the new path of a file.
func (h *Handler) movePage(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	versions, err := ws.History(v.r.Context(), v.r.PathValue("path"))
	if err != nil {
		return err
	}
	path := v.r.PathValue("path")
	return v.renderMove(http.StatusOK, moveData{subject: v.fileSubject(path),
		Version: versions[len(versions)-1].Version, To: path})
}

func (v *visit) renderMove(status int, d moveData) error {
	return v.write(status, "move", "Move "+text.Plain(d.Path), v.agentPlace(), d)
}

// move gives a file another path.
func (v *visit) move(ws *workspace.Workspace) error {
	version, err := versionOf(v.form.Get("version"))
	if err != nil {
		return err
	}
	d := moveData{subject: v.fileSubject(v.r.PathValue("path")), Version: version,
		To: strings.TrimSpace(v.form.Get("to"))}
	m, err := ws.MoveFile(v.r.Context(), d.Path, d.To, workspace.MoveOptions{
		IfVersion: &version, IdempotencyKey: v.requestKey("move", d.Path, d.To, number(version)),
	})
	if err == nil {
		return v.seeVersion(ws, m.Path, m.Version)
	}
	p := v.h.problemOf(v.r.Context(), err)
	var told *workspace.Error
	switch isOurs := errors.As(err, &told); {
	case errors.Is(err, workspace.ErrNotFound):
		return err
	case isOurs && told.Way.Do == workspace.DoOtherPath:
		d.PathProblem, d.Exists = "There is a file at this path. Choose another one.", fileURL(ws.Agent(), d.To)
	case d.To == d.Path:
		d.PathProblem = "The file is at this path already. Choose another one."
	case isOurs && told.Arg == workspace.ArgNewPath:
		d.PathProblem = p.text
	case errors.Is(err, workspace.ErrConflict):
		now, err := ws.FileExtent(v.r.Context(), d.Path)
		if err != nil {
			return err
		}
		d.Version = now.Version
		d.Problem = "Somebody has written version " + number(now.Version) + " meanwhile. Move takes it along."
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
	Versions int64                 // that are kept
	Bytes    int64                 // of all of them
	Problem  string
}

// deletePage says what goes with a file, and asks.
func (h *Handler) deletePage(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	return v.renderDelete(http.StatusOK, ws, "")
}

func (v *visit) renderDelete(status int, ws *workspace.Workspace, problem string) error {
	path := v.r.PathValue("path")
	versions, err := ws.History(v.r.Context(), path)
	if err != nil {
		return err
	}
	d := deleteData{
		subject: v.fileSubject(path), Problem: problem,
		Current: versions[len(versions)-1], Oldest: versions[0], Versions: int64(len(versions)),
	}
	for _, version := range versions {
		d.Bytes += version.Bytes
	}
	return v.write(status, "delete", "Delete "+text.Plain(path), v.agentPlace(), d)
}

// deleteFile removes a file, if it is as the person has seen it.
func (v *visit) deleteFile(ws *workspace.Workspace) error {
	version, err := versionOf(v.form.Get("version"))
	if err != nil {
		return err
	}
	path := v.r.PathValue("path")
	_, err = ws.DeleteFile(v.r.Context(), path, workspace.DeleteOptions{
		IfVersion: &version, IdempotencyKey: v.requestKey("delete", path, number(version)),
	})
	switch {
	case err == nil:
		return v.see(agentURL(ws.Agent()))
	case errors.Is(err, workspace.ErrConflict):
		return v.renderDelete(http.StatusConflict, ws, "Somebody has changed this file meanwhile. Nothing was deleted.")
	}
	return err
}

// restoreData is what the page shows that asks again before a version is restored.
type restoreData struct {
	subject
	Version int64 // that the person wants
	Began   int64 // the version that was current for the person
	Current workspace.VersionInfo
}

// restore makes a kept version the newest one again.
func (v *visit) restore(ws *workspace.Workspace) error {
	version, err := versionOf(v.form.Get("version"))
	if err != nil {
		return err
	}
	current, err := versionOf(v.form.Get("current"))
	if err != nil {
		return err
	}
	path := v.r.PathValue("path")
	w, err := ws.RestoreFile(v.r.Context(), path, version, workspace.WriteOptions{
		IfVersion: &current, IdempotencyKey: v.requestKey("restore", path, number(version), number(current)),
	})
	if err == nil {
		return v.seeVersion(ws, w.Path, w.Version)
	}
	if !errors.Is(err, workspace.ErrConflict) {
		return err
	}
	versions, err := ws.History(v.r.Context(), path)
	if err != nil {
		return err
	}
	d := restoreData{v.fileSubject(path), version, current, versions[len(versions)-1]}
	return v.write(http.StatusConflict, "restore", "Restore "+text.Plain(path), v.agentPlace(), d)
}
