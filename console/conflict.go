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
	maxHops         = 8         // moves that are followed to where a file is now
	maxCompareLines = 20_000    // lines of two texts that are compared on the page
	maxCompareBytes = 512 << 10 // bytes of both
	maxCompareRows  = 400       // rows of the comparison that are shown
)

// A conflict is what others have done while somebody edited a file.
type conflict struct {
	Began   int64             // the version that the person began with
	Change  *workspace.Change // the deletion or the last move; nil: it is not known
	Theirs  *fileData         // the current text; nil: there is no file
	Link    string            // the address of that version
	Rows    []diffRow         // from theirs to yours
	Removed int               // lines
	Added   int
	Left    int // rows that are not shown
}

// resolve answers with both texts after a save that did not rest on the current version.
// The next Save rests on the version that the answer shows. An error says that there is no
// answer yet.
func (v *visit) resolve(d editData, content []byte) error {
	c := &conflict{Began: d.Draft.Version}
	r, err := v.findMoved(d.Path, c)
	if err != nil {
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
	d.subject = v.fileSubject(r.Path)
	c.Link = d.Address + "?v=" + number(r.Version)
	c.Theirs = wholeFile(d.subject, r)
	c.compare(r.Content, content, d.Draft.Ending)
	return v.renderEditor(http.StatusConflict, d)
}

// findMoved reads the file of an editor, at another path if it was moved. The version is 0
// if there is no file any more.
func (v *visit) findMoved(path string, c *conflict) (workspace.ReadResult, error) {
	for range maxHops {
		r, err := v.readBeside(path)
		if !errors.Is(err, workspace.ErrNotFound) {
			return r, err
		}
		if c.Change, err = v.lastLoss(path); err != nil {
			return r, err
		}
		if c.Change == nil || c.Change.Op != workspace.OpMove {
			break
		}
		path = c.Change.Path
	}
	return workspace.ReadResult{}, nil
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
	if r, err = v.read(path, 0); err != nil {
		v.parts[len(v.parts)-1].Leave() // the file may be at another path
	}
	return r, err
}

// lastLoss returns the change that took a file from its path, or nil if the journal does
// not have it among the last ones.
func (v *visit) lastLoss(path string) (*workspace.Change, error) {
	log, err := v.ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Prefix: path})
	if err != nil {
		return nil, err
	}
	for _, c := range log.Changes {
		if c.Kind == workspace.KindFile && (c.Op == workspace.OpMove && c.From == path ||
			c.Op == workspace.OpDelete && c.Path == path) {
			return &c, nil
		}
	}
	return nil, nil
}

// compare fills in the comparison, unless the texts are long.
func (c *conflict) compare(theirs, yours []byte, ending diff.LineEnd) {
	if len(theirs)+len(yours) > maxCompareBytes || linediff.Lines(theirs)+linediff.Lines(yours) > 2*maxCompareLines {
		return
	}
	lines := diff.Compare(theirs, yours)
	c.Removed, c.Added = lines.Lines()
	view := lines.View(diff.Options{Context: usualContext})
	c.Left = max(0, view.Len()-maxCompareRows)
	c.Rows = diffLayout{quiet: ending == diff.CRLF}.rows(view.Rows(0, maxCompareRows), 0)
}
