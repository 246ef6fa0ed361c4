package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// editData is what the editor shows: of a file, of a new one, and after a save that did
// not work.
type editData struct {
	subject            // of a new file, the path is as typed, and there is no address
	New      bool      // the person chooses the path
	To       pathField // for that
	Draft    draft
	Limit    int64     // bytes of a file
	Newer    newerData // what others have written
	Problem  string    // why the text was not saved
	Blocked  *fileData // the text, which no text field can hold
	Reason   string    // why
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
	Version int64 // that the person sees; 0: none
	Current workspace.VersionInfo
	Gone    bool   // there is no file any more
	Address string // of the file; "": the page is not told of later versions
	Diff    string // the address of what they have changed; "": it is not known any more
}

// Raw returns the address of the bytes of the version that the text rests on.
func (d editData) Raw() string {
	return agentURL(d.Head.Agent, "raw", escapePath(d.Path)) + "?v=" + number(d.Draft.Version)
}

// Size returns how many bytes the text has as a file.
func (d draft) Size() int64 { return int64(len(fieldContent(d.Text, d.Ending))) }

// editor shows a file in a text field.
func (v *visit) editor() error {
	e, err := v.ws.FileExtent(v.r.Context(), v.path())
	if err != nil {
		return err
	}
	if err := v.take(v.h.room, 16*e.Bytes+64<<10); err != nil { // each character may be five in the page
		return err
	}
	r, err := v.read(v.path(), 0)
	if err != nil {
		return err
	}
	d := v.editData(r.Path)
	d.Draft = draft{Version: r.Version, Once: rand.Text()}
	if d.Draft.Text, d.Draft.Ending, d.Reason = fieldText(r.Content); d.Reason != "" {
		d.Blocked = wholeFile(d.subject, r)
	}
	return v.renderEditor(http.StatusOK, d)
}

// editData returns the editor of a file without its text.
func (v *visit) editData(path string) editData {
	return editData{subject: v.fileSubject(path), Limit: v.person.Service.Limits().FileBytes}
}

// newData returns the editor of a new file without its text.
func (v *visit) newData(path string) editData {
	d := v.editData(path)
	d.New, d.Address, d.To = true, "", pathField{Label: "Path", Name: "path", Value: path}
	return d
}

// newer shows whether others have written a file since the version in the address. An open
// editor fetches this page again and again, and its text field stays as it is.
func (v *visit) newer() error {
	version := v.number("v")
	d, err := v.newerThan(v.path(), version)
	if err != nil {
		return err
	}
	return v.render("newer", "Newer versions", d)
}

// newerThan returns what others have done to a file since a version.
func (v *visit) newerThan(path string, version int64) (d newerData, err error) {
	d = newerData{Version: version, Address: fileURL(v.ws.Agent(), path)}
	var all []workspace.VersionInfo
	all, d.Current, err = v.history(path)
	if errors.Is(err, workspace.ErrNotFound) || err == nil && d.Current.Version == 0 {
		d.Gone = version > 0
		return d, nil
	}
	if err == nil && all[0].Version <= version {
		d.Diff = d.Address + "?diff=" + number(version) + ".." + number(d.Current.Version)
	}
	return d, err
}

// renderEditor answers with an editor that learns of what others write.
func (v *visit) renderEditor(status int, d editData) error {
	title := "New file"
	if !d.New {
		var err error
		if d.Newer, err = v.newerThan(d.Path, d.Draft.Version); err != nil {
			d.Newer = newerData{} // the text matters more, and Save looks again
		} else {
			v.follow()
			v.Refresh = d.Address + "?view=newer&v=" + number(d.Draft.Version)
		}
		title = "Edit " + d.Path
	}
	return v.write(status, "edit", title, d)
}

// textPrefix begins the name of the text field. The version that the text rests on is its
// end: browsers put what was typed back into fields of the same name after a reload, and
// it must not rest on a version that the person has not seen.
const textPrefix = "text-"

// typed returns what a person has typed into a text field.
func (v *visit) typed() (text string, ok bool) {
	for name, values := range v.r.PostForm {
		if strings.HasPrefix(name, textPrefix) && len(values) > 0 {
			return fieldValue(values[0]), true
		}
	}
	return "", false
}

// draftOf reads the fields of an editor.
func (v *visit) draftOf() (draft, error) {
	version := v.number("version")
	name := textPrefix + number(version)
	if !v.form.Has(name) {
		return draft{}, errBadForm
	}
	d := draft{Version: version, Text: fieldValue(v.form.Get(name)), Ending: diff.LF, Once: v.form.Get("once"),
		Unsaved: true}
	if v.form.Get("ending") == string(diff.CRLF) {
		d.Ending = diff.CRLF
	}
	return d, nil
}

// requestKey returns the idempotency key of a form. A form that is sent twice, by a double
// click or a reload, changes things once.
func (v *visit) requestKey(fields ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", append(fields, formToken(v.session))))
	return "console-" + hex.EncodeToString(sum[:20])
}

// seeVersion sends the browser to a file after a change that made the version. If others
// have written since, it is shown by its number.
func (v *visit) seeVersion(path string, version int64) error {
	address := fileURL(v.ws.Agent(), path)
	if e, err := v.ws.FileExtent(v.r.Context(), path); err == nil && e.Version != version {
		address += "?v=" + number(version)
	}
	return v.see(address)
}

// newFile shows an empty editor with a field for the path.
func (v *visit) newFile() error {
	d := v.newData(v.form.Get("path"))
	d.Draft = draft{Ending: diff.LF, Once: rand.Text()}
	return v.renderEditor(http.StatusOK, d)
}

// createFile stores a new file.
func (v *visit) createFile() error { return v.store(v.newData(strings.TrimSpace(v.form.Get("path")))) }

// save stores the text of an editor as the next version.
func (v *visit) save() error { return v.store(v.editData(v.path())) }

// store stores the text of an editor. It rests on the version that the editor has shown. After
// an error the answer is the editor with the text still in it.
func (v *visit) store(d editData) (err error) {
	if d.Draft, err = v.draftOf(); err != nil {
		return err
	}
	content := fieldContent(d.Draft.Text, d.Draft.Ending)
	w, err := v.ws.WriteFile(v.r.Context(), d.Path, content, workspace.WriteOptions{
		IfVersion: &d.Draft.Version, IfChanged: !d.New,
		IdempotencyKey: v.requestKey("save", d.Path, number(d.Draft.Version), d.Draft.Once, string(content)),
	})
	if err == nil {
		return v.seeVersion(w.Path, w.Version)
	}
	conflict := errors.Is(err, workspace.ErrConflict)
	if conflict && !d.New {
		if err = v.resolve(d, content); err == nil {
			return nil
		}
	}
	if v.r.Context().Err() != nil {
		return nil // nobody waits for the answer
	}
	p := v.h.problemOf(v.r.Context(), err)
	var told *workspace.Error
	switch {
	case conflict && d.New:
		d.To.Problem, d.To.Exists = pathIsTaken, fileURL(v.ws.Agent(), d.Path)
	case d.New && errors.As(err, &told) && told.Arg == store.ArgPath:
		d.To.Problem = p.text
	case errors.Is(err, workspace.ErrOutcomeUnknown):
		d.Problem = p.text + " Save it again. If it is there already, it is not stored twice."
	default:
		d.Problem = p.text
	}
	return v.renderEditor(p.status, d)
}
