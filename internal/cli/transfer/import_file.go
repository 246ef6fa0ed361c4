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
		return im.history(versions, content)
	})
}

// deleted imports a deleted file of an export, if the path never was a file, and its time has not
// ended.
func (im *importer) deleted(path string, records []fileRecord) error {
	last := records[len(records)-1]
	until := last.Deleted.Until.UTC()
	if !until.After(im.o.Now()) {
		return errKind{"it is a deleted file, and was kept until " + until.Format(time.RFC3339)}
	}
	if was, err := im.wasFile(path); err != nil {
		return err
	} else if was {
		return im.hasDeleted(path, until)
	}
	content, err := im.folder.read(last.Name, im.limits.FileBytes)
	if err == nil && last.Redacted == nil && !last.has(content) {
		return errKind{"its bytes do not match the SHA-256 in " + manifestName}
	}
	versions, err2 := im.history(records, content)
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	c := Change{Path: path, Kind: "deleted file", New: true, Versions: int64(len(versions))}
	if !im.o.DryRun {
		d := workspace.Deletion{Deleter: last.Deleted.Author.author(), Time: im.clamp(last.Deleted.Time),
			Until: until}
		r, err := im.ws.ImportDeleted(im.ctx, path, versions, d)
		if errors.Is(err, workspace.ErrConflict) { // it was written meanwhile
			return im.hasDeleted(path, until)
		}
		if err != nil {
			return err
		}
		c.Version = r.Version
	}
	return im.changed(c)
}

// wasFile reports whether a path is, or was, a file of the agent.
func (im *importer) wasFile(path string) (bool, error) {
	n, err := im.ws.LastVersion(im.ctx, path)
	return n > 0, err
}

// hasDeleted counts a deleted file as the same if the agent has it, with its deadline. Else it
// says why the file is left out: its history cannot be put below another.
func (im *importer) hasDeleted(path string, until time.Time) error {
	_, err := im.ws.ReadFile(im.ctx, path, workspace.ReadOptions{})
	var d *workspace.Deletion
	switch {
	case err == nil:
		return errKind{"it is a deleted file, and the agent has a file of this path"}
	case !errors.Is(err, workspace.ErrNotFound):
		return err
	case errors.As(err, &d) && d.Until.Equal(until.Truncate(time.Microsecond)):
		im.result.Same++
		return nil
	}
	return errKind{"it is a deleted file, and the agent has had, and deleted, a file of this path"}
}

// has reports whether a content is the one that was exported.
func (f fileRecord) has(content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == f.SHA256
}

// history reads the versions of a file down to the first that is damaged, or is beyond
// the limit.
func (im *importer) history(records []fileRecord, content []byte) ([]workspace.Version, error) {
	records = records[max(0, len(records)-int(im.limits.Versions)):]
	versions := make([]workspace.Version, len(records))
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		if err := im.ctx.Err(); err != nil {
			return nil, err
		}
		if r.Redacted != nil { // whatever is in the file
			versions[i] = workspace.Version{Number: r.Version, Author: r.Author.author(), Time: im.clamp(r.Time),
				Project:  r.Project,
				Redacted: &workspace.Redaction{Time: im.clamp(r.Redacted.Time), Author: r.Redacted.Author.author()}}
			continue
		}
		if i < len(records)-1 {
			var err error
			content, err = im.folder.read(r.Name, im.limits.FileBytes)
			reason, is := im.reason(err)
			if is {
				reason += "; older versions are not restored"
			} else if err == nil && !r.has(content) {
				reason, is = "its bytes do not match the SHA-256 in "+manifestName+", so older versions are not "+
					"restored", true
			}
			if is {
				im.leaveOut(r.Name, reason)
				return versions[i+1:], nil
			}
			if err != nil {
				return nil, named(r.Name, err)
			}
		}
		versions[i] = workspace.Version{Number: r.Version, Author: r.Author.author(), Time: im.clamp(r.Time),
			Project: r.Project, Content: content}
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
// history returns the versions to restore; nil: there is the content alone.
func (im *importer) content(path string, content []byte, history func() ([]workspace.Version, error)) error {
	if !utf8.Valid(content) {
		return notText(content)
	}
	noHistory := history == nil
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
		if !im.o.DryRun {
			r, err := im.ws.WriteFile(im.ctx, path, content, workspace.WriteOptions{IfVersion: &old.Current})
			if err != nil {
				return err
			}
			c.Version = r.Version
		}
		return im.changed(c)
	})
}

// restore imports the history of a path that never was a file.
func (im *importer) restore(path string, history func() ([]workspace.Version, error)) error {
	versions, err := history()
	if err != nil {
		return err
	}
	if was, err := im.wasFile(path); im.o.DryRun && (was || err != nil) {
		return cmp.Or(err, workspace.ErrConflict)
	}
	c := Change{Path: path, Kind: "file", New: true, Versions: int64(len(versions))}
	if !im.o.DryRun {
		r, err := im.ws.ImportFile(im.ctx, path, versions)
		if err != nil {
			return err
		}
		c.Version = r.Version
	}
	return im.changed(c)
}
