package transfer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// file imports a file of an export.
func (im *importer) file(path string, versions []fileRecord) error {
	current := versions[len(versions)-1]
	content, err := im.folder.read(current.Name, im.limits.FileBytes)
	if err != nil {
		return err
	}
	return im.content(path, content, func() ([]workspace.Version, error) {
		if !current.has(content) { // somebody changed it in the folder
			return []workspace.Version{{Number: current.Version + 1, Content: content, Author: im.ws.Author()}}, nil
		}
		return im.history(versions)
	})
}

// deleted imports a deleted file of an export, if the path never was a file, and its time has not
// ended.
func (im *importer) deleted(path string, records []fileRecord) error {
	last := records[len(records)-1].Deleted
	d := workspace.Deletion{Deleter: last.Author.author(), Time: im.clamp(last.Time), Until: last.Until.UTC()}
	if !d.Until.After(im.o.Now()) {
		return errKind{"it is a deleted file, and was kept until " + d.Until.Format(time.RFC3339)}
	}
	return im.again(func() error {
		if was, err := im.wasFile(path); err != nil {
			return err
		} else if was {
			return im.hasDeleted(path, d.Until)
		}
		versions, err := im.history(records)
		if err != nil || len(versions) == 0 { // what is wrong with the last one is listed
			return err
		}
		c := Change{Path: path, Kind: "deleted file", New: true, Versions: int64(len(versions))}
		return im.change(c, func() (workspace.WriteResult, error) {
			return im.ws.ImportDeleted(im.ctx, path, versions, d)
		})
	})
}

// wasFile reports whether a path is, or was, a file of the agent.
func (im *importer) wasFile(path string) (bool, error) {
	n, err := im.ws.LastVersion(im.ctx, path)
	return n > 0, err
}

// hasDeleted counts a deleted file as the same if the agent has it, with its deadline. Else the
// file is left out: its history cannot be put below another.
func (im *importer) hasDeleted(path string, until time.Time) error {
	_, err := im.ws.ReadFile(im.ctx, path, workspace.ReadOptions{})
	var d *workspace.Deletion
	switch {
	case errors.As(err, &d) && d.Until.Equal(until.Truncate(time.Microsecond)):
		im.result.Same++
		return nil
	case err == nil || errors.Is(err, workspace.ErrNotFound):
		return errKind{"it is a deleted file, and the agent has, or has had, another file of this path"}
	}
	return err
}

// has reports whether a content is the one that was exported.
func (f fileRecord) has(content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == f.SHA256
}

// history reads the versions of a file down to the first that is damaged, or is beyond
// the limit. That one is listed.
func (im *importer) history(records []fileRecord) ([]workspace.Version, error) {
	records = records[max(0, len(records)-int(im.limits.Versions)):]
	versions := make([]workspace.Version, len(records))
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		if err := im.ctx.Err(); err != nil {
			return nil, err
		}
		v := workspace.Version{Number: r.Version, Author: r.Author.author(), Time: im.clamp(r.Time), Project: r.Project}
		if r.Redacted != nil { // whatever is in the file
			v.Redacted = &workspace.Redaction{Time: im.clamp(r.Redacted.Time), Author: r.Redacted.Author.author()}
		} else {
			content, err := im.folder.read(r.Name, im.limits.FileBytes)
			if err == nil && !r.has(content) {
				err = errKind{"its bytes do not match the SHA-256 in " + manifestName}
			}
			if reason, is := im.reason(err); is {
				im.leaveOut(r.Name, reason+"; older versions are not restored")
				return versions[i+1:], nil
			}
			if err != nil {
				return nil, named(r.Name, err)
			}
			v.Content = content
		}
		versions[i] = v
	}
	return versions, nil
}

// clamp returns a time that is not after the export.
func (im *importer) clamp(at time.Time) time.Time {
	if at.After(im.exported) {
		return im.exported
	}
	return at
}

// content makes a content the current one of a path. For a path that never was a file,
// history returns the versions to restore.
func (im *importer) content(path string, content []byte, history func() ([]workspace.Version, error)) error {
	if size := int64(len(content)); size > im.limits.FileBytes {
		return sizeError(size, store.FileBytes, im.limits.FileBytes, store.Way{Do: store.DoSplitFile})
	}
	if !utf8.Valid(content) {
		return errKind{"it is not UTF-8, and only text can be stored"}
	}
	noHistory := false // the path was a file
	return im.again(func() error {
		old, err := im.ws.ReadFile(im.ctx, path, workspace.ReadOptions{})
		isNew := errors.Is(err, workspace.ErrNotFound)
		switch {
		case err != nil && !isNew:
			return err
		case !isNew && bytes.Equal(old.Content, content):
			im.result.Same++
			return nil
		}
		if keeps, err := im.keeps(path, old.Author, isNew); keeps || err != nil {
			return err
		}
		if isNew && !noHistory {
			err := im.restore(path, history)
			if noHistory = errors.Is(err, workspace.ErrConflict); !noHistory {
				return err
			}
		}
		c := Change{Path: path, Kind: "file", New: isNew, Versions: 1}
		return im.change(c, func() (workspace.WriteResult, error) {
			return im.ws.WriteFile(im.ctx, path, content, workspace.WriteOptions{IfVersion: &old.Current})
		})
	})
}

// restore imports the history of a path that never was a file.
func (im *importer) restore(path string, history func() ([]workspace.Version, error)) error {
	if was, err := im.wasFile(path); was || err != nil {
		return cmp.Or(err, workspace.ErrConflict)
	}
	versions, err := history()
	if err != nil {
		return err
	}
	c := Change{Path: path, Kind: "file", New: true, Versions: int64(len(versions))}
	return im.change(c, func() (workspace.WriteResult, error) { return im.ws.ImportFile(im.ctx, path, versions) })
}
