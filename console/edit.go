package console

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// editData is what the editor shows: of a file, of a new one, and after a save that did
// not work.
type editData struct {
	subject      // of a new file, the path is as typed, and there is no address
	New     bool // the person chooses the path
	Draft   draft
	Limit   int64     // bytes of a file
	Newer   newerData // what others have written

	Problem     string // why the text was not saved
	PathProblem string // what is wrong with the path of a new file
	Exists      string // the address of the file that is at that path

	Blocked *fileData // the text, which no text field can hold
	Reason  string    // why

	Conflict *conflict
}

// A draft is a text in a text field.
type draft struct {
	Version int64 // that it rests on; 0: there must be no file
	Text    string
	Ending  diff.LineEnd
	Once    string // unlike that of any other form
	Unsaved bool   // it is not in the memory, even if nothing more is typed
}

// newerData is what others have done to a file since a version.
type newerData struct {
	Version  int64 // that the person sees; 0: none
	Current  workspace.VersionInfo
	Gone     bool // there is no file any more
	Address  string
	Diff     string // the address of what they have changed; "": it is not known any more
	Watching bool   // the page is told of later versions
}

// Raw returns the address of the bytes of the version that the text rests on.
func (d editData) Raw() string {
	return agentURL(d.Head.Agent, "raw", escapePath(d.Path)) + "?v=" + number(d.Draft.Version)
}

// PathLabel, PathName and PathValue are of the field for the path.
func (d editData) PathLabel() string { return "Path" }
func (d editData) PathName() string  { return "path" }
func (d editData) PathValue() string { return d.Path }

// Size returns how many bytes the text has as a file.
func (d draft) Size() int64 { return int64(len(fieldContent(d.Text, d.Ending))) }

// editor shows a file in a text field.
func (h *Handler) editor(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	if err := v.takeEditor(ws); err != nil {
		return err
	}
	r, err := ws.ReadFile(v.r.Context(), v.r.PathValue("path"), workspace.ReadOptions{})
	if err != nil {
		return err
	}
	d := v.editData(r.Path)
	text, ending, problem := fieldText(r.Content)
	d.Draft = draft{Version: r.Version, Text: text, Ending: ending, Once: rand.Text()}
	if problem != "" {
		d.Reason, d.Blocked = problem, &fileData{Pinned: true, fileHead: fileHead{subject: d.subject, File: r}}
		d.Blocked.setLines(1, r.Content)
	}
	return v.renderEditor(http.StatusOK, ws, d)
}

// takeEditor takes room for a page with the file in the address in a text field, where
// each character may be five.
func (v *visit) takeEditor(ws *workspace.Workspace) error {
	e, err := ws.FileExtent(v.r.Context(), v.r.PathValue("path"))
	if err != nil {
		return err
	}
	return v.take(v.h.room, 16*e.Bytes+64<<10)
}

// editData returns what editors have in common. The path may be "" for a new file.
func (v *visit) editData(path string) editData {
	d := editData{subject: v.fileSubject(path), Limit: v.person.Service.Limits().FileBytes}
	if path == "" {
		d.Address = ""
	}
	return d
}

// newer shows whether others have written a file since the version in the address. An open
// editor fetches this page again and again, and its text field stays as it is.
func (h *Handler) newer(v *visit) error {
	ws, err := v.workspace(toRead)
	if err != nil {
		return err
	}
	version, err := versionOf(v.r.URL.Query().Get("v"))
	if err != nil {
		return err
	}
	d, err := v.newerThan(ws, v.r.PathValue("path"), version)
	if err != nil {
		return err
	}
	return v.render("newer", "Newer versions", v.agentPlace(), d)
}

// newerThan returns what others have done to a file since a version.
func (v *visit) newerThan(ws *workspace.Workspace, path string, version int64) (newerData, error) {
	d := newerData{Version: version, Address: fileURL(ws.Agent(), path), Watching: true}
	versions, err := ws.History(v.r.Context(), path)
	if errors.Is(err, workspace.ErrNotFound) {
		d.Gone = version > 0
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Current = versions[len(versions)-1]
	if versions[0].Version <= version {
		d.Diff = d.Address + "?diff=" + number(version) + ".." + number(d.Current.Version)
	}
	return d, nil
}

// renderEditor answers with an editor that learns of what others write.
func (v *visit) renderEditor(status int, ws *workspace.Workspace, d editData) error {
	o := v.agentPlace()
	title := "New file"
	if !d.New {
		var err error
		if d.Newer, err = v.newerThan(ws, d.Path, d.Draft.Version); err != nil {
			d.Newer = newerData{} // the text matters more, and Save looks again
		} else {
			o.Stream = agentStream(ws.Agent())
			o.Refresh = d.Address + "?view=newer&v=" + number(d.Draft.Version)
		}
		title = "Edit " + text.Plain(d.Path)
	}
	return v.write(status, "edit", title, o, d)
}

// versionOf reads a version of a form. 0 is no file.
func versionOf(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errBadForm
	}
	return n, nil
}

// textPrefix begins the name of the text field. The version that the text rests on is its
// end: browsers put what was typed back into fields of the same name after a reload, and
// it must not rest on a version that the person has not seen.
const textPrefix = "text-"

// typed returns what a person has typed into a text field.
func (v *visit) typed() (text string, ok bool) {
	for name, values := range v.form {
		if strings.HasPrefix(name, textPrefix) && len(values) > 0 {
			return fieldValue(values[0]), true
		}
	}
	return "", false
}

// draftOf reads the fields of an editor.
func (v *visit) draftOf() (draft, error) {
	version, err := versionOf(v.form.Get("version"))
	if err != nil {
		return draft{}, err
	}
	d := draft{Version: version, Ending: diff.LineEnd(v.form.Get("ending")), Once: v.form.Get("once"), Unsaved: true}
	if d.Ending != diff.CRLF {
		d.Ending = diff.LF
	}
	if !v.form.Has(textPrefix + number(version)) {
		return draft{}, errBadForm
	}
	d.Text = fieldValue(v.form.Get(textPrefix + number(version)))
	return d, nil
}

// requestKey returns the idempotency key of a form. A form that is sent twice, by a double
// click or a reload, changes things once.
func (v *visit) requestKey(fields ...string) string {
	sum := sha256.New()
	for _, f := range append([]string{formToken(v.session)}, fields...) {
		_, _ = fmt.Fprintf(sum, "%d %s ", len(f), f) // never fails
	}
	return "console-" + hex.EncodeToString(sum.Sum(nil)[:20])
}

// save stores the text of an editor as the next version. It rests on the version that the
// editor has shown.
func (v *visit) save(ws *workspace.Workspace) error {
	d := v.editData(v.r.PathValue("path"))
	var err error
	if d.Draft, err = v.draftOf(); err != nil {
		return err
	}
	content := fieldContent(d.Draft.Text, d.Draft.Ending)
	w, err := ws.WriteFile(v.r.Context(), d.Path, content, workspace.WriteOptions{
		IfVersion: &d.Draft.Version, IfChanged: true,
		IdempotencyKey: v.requestKey("save", d.Path, number(d.Draft.Version), d.Draft.Once, string(content)),
	})
	switch {
	case err == nil:
		return v.seeVersion(ws, w.Path, w.Version)
	case errors.Is(err, workspace.ErrConflict):
		if err = v.resolve(ws, d, content); err == nil {
			return nil
		}
	}
	return v.editAgain(ws, d, err)
}

// seeVersion sends the browser to a file after a change that made the version. If others
// have written since, it is shown by its number.
func (v *visit) seeVersion(ws *workspace.Workspace, path string, version int64) error {
	address := fileURL(ws.Agent(), path)
	if e, err := ws.FileExtent(v.r.Context(), path); err == nil && e.Version != version {
		address += "?v=" + number(version)
	}
	return v.see(address)
}

// editAgain answers with an error above the editor, with the text still in it.
func (v *visit) editAgain(ws *workspace.Workspace, d editData, err error) error {
	if v.r.Context().Err() != nil {
		return nil // nobody waits for the answer
	}
	p := v.h.problemOf(v.r.Context(), err)
	d.Problem = p.text
	if errors.Is(err, workspace.ErrOutcomeUnknown) {
		d.Problem += " Save it again. If it is there already, it is not stored twice."
	}
	return v.renderEditor(p.status, ws, d)
}

// newFile shows an empty editor with a field for the path.
func (h *Handler) newFile(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	d := v.editData("")
	d.New, d.Path = true, v.r.URL.Query().Get("path")
	d.Draft = draft{Ending: diff.LF, Once: rand.Text()}
	return v.renderEditor(http.StatusOK, ws, d)
}

// createFile stores a new file.
func (h *Handler) createFile(v *visit) error {
	ws, err := v.workspace(toReadAndWrite)
	if err != nil {
		return err
	}
	d := v.editData("")
	d.New, d.Path = true, strings.TrimSpace(v.form.Get("path"))
	if d.Draft, err = v.draftOf(); err != nil {
		return err
	}
	none := int64(0)
	content := fieldContent(d.Draft.Text, d.Draft.Ending)
	w, err := ws.WriteFile(v.r.Context(), d.Path, content, workspace.WriteOptions{
		IfVersion: &none, IdempotencyKey: v.requestKey("create", d.Path, d.Draft.Once, string(content)),
	})
	if err == nil {
		return v.seeVersion(ws, w.Path, w.Version)
	}
	return v.newAgain(ws, d, content, err)
}

// newAgain answers with what is wrong with a new file.
func (v *visit) newAgain(ws *workspace.Workspace, d editData, content []byte, err error) error {
	var told *workspace.Error
	switch {
	case errors.Is(err, workspace.ErrConflict):
		r, readErr := ws.ReadFile(v.r.Context(), d.Path, workspace.ReadOptions{})
		if readErr == nil && bytes.Equal(r.Content, content) {
			return v.see(fileURL(ws.Agent(), r.Path))
		}
		d.PathProblem, d.Exists = "There is a file at this path. Choose another one.", fileURL(ws.Agent(), d.Path)
	case errors.As(err, &told) && told.Arg == workspace.ArgPath:
		d.PathProblem = v.h.problemOf(v.r.Context(), err).text
	default:
		return v.editAgain(ws, d, err)
	}
	return v.renderEditor(v.h.problemOf(v.r.Context(), err).status, ws, d)
}
