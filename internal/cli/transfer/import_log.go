package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The entries that are appended in one transaction.
const (
	batchEntries = 1000
	batchBytes   = 1 << 20
)

// log imports a log of an export.
func (im *importer) log(l logRecord) error {
	file, _, err := im.folder.open(l.Name)
	if err != nil {
		return err
	}
	defer file.Close()
	export, err := im.marks(file, l)
	if err != nil || len(export) == 0 {
		return err
	}
	c := Change{Path: l.Path, Kind: "log"}
	err = im.again(func() error {
		there, last, err := im.there(l.Path)
		if err != nil {
			return err
		}
		if c.Entries == 0 {
			c.New = last == 0
		}
		lacks := missing(there, export)
		for i, m := range export {
			lacks[i] = lacks[i] && m != mark{} // else it is too large
		}
		if im.o.DryRun {
			for _, lack := range lacks {
				if lack {
					c.Entries++
				}
			}
			return nil
		}
		return im.append(file, l.Path, lacks, last, &c)
	})
	if c.Entries > 0 {
		im.result.Changes = append(im.result.Changes, c)
	} else if err == nil {
		im.result.Same++
	}
	return err
}

// marks reads the file of a log for the first time, and checks it. An entry that is too
// large is left out. Its mark is the zero one.
func (im *importer) marks(file *os.File, l logRecord) ([]mark, error) {
	sum := sha256.New()
	in := newEntryReader(io.TeeReader(file, sum), im.limits.EntryBytes)
	var marks []mark
	for {
		e, err := in.next()
		if err == io.EOF {
			break
		}
		if int64(len(marks)) >= im.limits.Entries {
			e := workspace.Errorf(workspace.ErrQuota, "it has more than %d entries", im.limits.Entries)
			e.Quota = &workspace.Quota{Of: store.EntryCount, Adds: im.limits.Entries + 1, Limit: im.limits.Entries}
			return nil, e
		}
		if errors.Is(err, workspace.ErrTooLarge) {
			reason, _ := im.reason(err)
			im.leaveOut(fmt.Sprintf("%s, line %d", l.Name, in.line), reason)
			marks = append(marks, mark{})
			continue
		}
		if err != nil {
			return nil, err
		}
		e.Author = im.ws.As(e.Author).Author()
		e.Time = im.clamp(e.Time)
		marks = append(marks, markOf(e))
	}
	if hex.EncodeToString(sum.Sum(nil)) != l.SHA256 {
		return nil, errKind{"its bytes do not match the SHA-256 in " + manifestName + "; export again"}
	}
	return marks, nil
}

// there returns the marks of a log of the workspace, and the number of its last entry; 0:
// there is no log.
func (im *importer) there(path string) (marks []mark, last int64, err error) {
	for o := (workspace.ReadLogOptions{}); ; {
		page, err := im.ws.ReadLog(im.ctx, path, o)
		if err != nil || !page.Exists {
			return nil, 0, err
		}
		for _, e := range page.Entries {
			marks = append(marks, markOf(e))
		}
		if len(marks) == 0 { // all were removed; their numbers are not given again
			page, err = im.ws.ReadLog(im.ctx, path, workspace.ReadLogOptions{Tail: 1})
		}
		if o.Since = page.Last; !page.More {
			return marks, page.Last, err
		}
	}
}

// append appends the entries that the log lacks. last is the number of its last entry.
func (im *importer) append(file *os.File, path string, lacks []bool, last int64, c *Change) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := newEntryReader(file, im.limits.EntryBytes)
	var batch []workspace.Entry
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		r, err := im.ws.ImportLog(im.ctx, path, last, batch)
		if err != nil {
			return err
		}
		last, c.Entries = r.Last, c.Entries+int64(len(batch))
		batch, size = batch[:0], 0
		return nil
	}
	for _, lack := range lacks {
		e, err := in.next()
		if errors.Is(err, io.EOF) {
			err = errKind{"it was changed while it was imported; import again"}
		}
		if errors.Is(err, workspace.ErrTooLarge) {
			continue
		}
		if err != nil {
			return errors.Join(err, flush())
		}
		if !lack {
			continue
		}
		if len(batch) == batchEntries || size > batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		if len(batch) > 0 { // entries between them may be there already
			e.ID = batch[0].ID + int64(len(batch))
		}
		e.Time = im.clamp(e.Time)
		batch, size = append(batch, e), size+len(e.Content)
	}
	return flush()
}
