package console

import (
	"bytes"
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxCompareLines = 20_000    // lines of two texts that are compared on the page
	maxCompareBytes = 512 << 10 // bytes of both
	maxCompareRows  = 400       // rows of the comparison that are shown
)

// A conflict is what others have done while somebody edited a file.
type conflict struct {
	Began   int64     // the version that the person began with
	Theirs  *fileData // the current text; nil: there is no file
	Link    string    // the address of that version
	Rows    []diffRow // from theirs to yours
	Removed int       // lines
	Added   int
	Left    int // rows that are not shown
}

// resolve answers with both texts after a save that did not rest on the current version.
// The next Save rests on the version that the answer shows. An error says that there is no
// answer yet.
func (v *visit) resolve(d editData, content []byte) error {
	c := &conflict{Began: d.Draft.Version}
	r, err := v.readBeside(d.Path)
	if err != nil && !errors.Is(err, workspace.ErrNotFound) {
		return err
	}
	d.Conflict = c
	d.Draft.Version, d.Draft.Once = r.Version, rand.Text()
	if r.Version == 0 {
		return v.renderEditor(http.StatusConflict, d)
	}
	if bytes.Equal(r.Content, content) {
		return v.seeVersion(r.Path, r.Version)
	}
	c.Link = d.Address + "?v=" + number(r.Version)
	c.Theirs = wholeFile(d.subject, r)
	c.compare(r.Content, content)
	return v.renderEditor(http.StatusConflict, d)
}

// readBeside reads a file while there is a form in memory. The room is one of its own, so
// that people whose forms fill the other one do not wait for each other.
func (v *visit) readBeside(path string) (r workspace.ReadResult, err error) {
	e, err := v.ws.FileExtent(v.r.Context(), path)
	if err != nil {
		return r, err
	}
	if err := v.take(v.h.beside, 4*e.Bytes+10*min(e.Bytes, maxText)+16*maxCompareBytes); err != nil {
		return r, err
	}
	return v.read(path, 0)
}

// compare fills in the comparison, unless the texts are long.
func (c *conflict) compare(theirs, yours []byte) {
	if len(theirs)+len(yours) > maxCompareBytes || linediff.Lines(theirs)+linediff.Lines(yours) > 2*maxCompareLines {
		return
	}
	lines := diff.Compare(theirs, yours)
	c.Removed, c.Added = lines.Lines()
	view := lines.View(diff.Options{Context: usualContext})
	c.Left = max(0, view.Len()-maxCompareRows)
	c.Rows = diffLayout{}.rows(view.Rows(0, maxCompareRows))
}
