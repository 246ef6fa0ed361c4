package workspace

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const opImport = "import"

// ImportFile stores the history of a file from elsewhere in one transaction: all versions or
// none. The agent must never have had a file at the path, not even one that was deleted, else
// the error is [ErrConflict].
//
// The versions are in ascending order of their numbers, which are from 1 to 1<<40, and have
// their content, author and time. ImportFile computes Size and SHA256. If there are more than
// [Limits].Versions, ImportFile stores the newest ones. The versions keep their numbers, unless
// the agent may have given the first number before; then they get the next free numbers. A
// zero time means now. A time must not be more than five minutes in the future. If a time is
// before that of the previous version, ImportFile stores the time of the previous version. A
// version with Redacted set keeps its receipt and has no content. The last version must not be
// redacted. Errors: [ErrInvalid], [ErrTooLarge], [ErrQuota], [ErrConflict].
func (w *Workspace) ImportFile(ctx context.Context, path string, versions []Version) (WriteResult, error) {
	return w.importFile(ctx, path, versions, nil)
}

// ImportDeleted is ImportFile for a deleted file. It keeps the Deleter, the Time and the Until of
// the deletion. Until must not have passed, and its year in UTC is at most 9999. The last version
// may be redacted. Errors: as of ImportFile.
func (w *Workspace) ImportDeleted(
	ctx context.Context, path string, versions []Version, d Deletion,
) (WriteResult, error) {
	return w.importFile(ctx, path, versions, &d)
}

func (w *Workspace) importFile(
	ctx context.Context, path string, versions []Version, d *Deletion,
) (WriteResult, error) {
	c := w.newMaker(ctx, opImport, path, "")
	versions = slices.Clone(versions[max(0, len(versions)-int(w.svc.o.Limits.Versions)):])
	for i := range versions {
		v := &versions[i]
		c.refuse(w.svc.o.Limits.checkText(v.Content, store.FileBytes))
		want := v.Number
		if i > 0 {
			want = max(want, versions[i-1].Number+1)
		}
		v.Time = c.importedTime(v.Number, want, v.Time)
		v.Author, v.Content = w.As(v.Author).author, bytes.Clone(v.Content)
		v.Project = names.Shorten(v.Project, maxAuthor)
		if r := v.Redacted; r != nil {
			at := c.importedTime(want, want, r.Time)
			*v = redacted(*v, Redaction{Time: at, Author: stored(w.As(r.Author).author)})
			continue
		}
		v.Size, v.SHA256 = int64(len(v.Content)), sha256.Sum256(v.Content)
	}
	if n := len(versions); n == 0 {
		c.refuse(Errorf(ErrInvalid, "there is no version to import"))
	} else if last := versions[n-1]; last.Redacted != nil && d == nil {
		c.refuse(Errorf(ErrInvalid, "version %d is redacted, and cannot be the current one", last.Number))
	}
	if d != nil {
		d.Time = c.importedTime(1, 1, d.Time)
		if !d.Until.After(c.now) {
			c.refuse(Errorf(ErrInvalid, "the deleted file was kept until %s", d.Until.Format(time.RFC3339)))
		}
		c.refuseYear(d.Until)
	}
	return c.writeFile(ctx, store.Query{File: c.path}, func(r *run) error {
		if r.File.Version > 0 {
			return or(Errorf(ErrConflict, "the path was a file before, up to version %d", r.File.Version),
				store.DoRead, 0)
		}
		for _, v := range versions {
			if err := r.saveVersion(v, OpEdit, v.Number); err != nil {
				return err
			}
		}
		if d == nil {
			return nil
		}
		h := r.deleted(r.File, latest(d.Time, r.File.Updated), time.Hour)
		h.Deleter, h.Expires = stored(w.As(d.Deleter).author), d.Until.UTC().Truncate(time.Microsecond)
		return r.saveFile(store.FileChange{Head: h, Change: Change{Op: OpDelete, Before: r.File.Version}})
	})
}

// LastVersion returns the highest number of a version that a file of the path has had, also of one
// that was deleted. 0: the path was never a file, or the store has forgotten it. ImportFile and
// ImportDeleted take only a path of 0.
func (w *Workspace) LastVersion(ctx context.Context, path string) (int64, error) {
	p, err := w.start(ctx, path)
	if err != nil {
		return 0, within("look up", path, err)
	}
	n, err := view(ctx, w, func(r store.Reader) (int64, error) {
		l, err := r.Load(store.Query{File: p.name})
		return l.File.Version, err
	})
	return n, within("look up", path, err)
}

// ImportLog appends entries from elsewhere to a log, with their authors and times, all of them
// or none. last must be the number of the log's last entry, or 0 if there is no log, else the
// error is [ErrConflict].
//
// The entries have consecutive numbers from 1 to 1<<40. They keep their numbers if the path
// never was a log, unless the agent may have given the first number before. Otherwise the
// entries get the next free numbers. A zero time means now. A time must not be more than five
// minutes in the future. If a time is before that of the previous entry, ImportLog stores the
// time of the previous entry. Errors: [ErrInvalid], [ErrTooLarge], [ErrQuota], [ErrConflict].
func (w *Workspace) ImportLog(ctx context.Context, path string, last int64, entries []Entry) (AppendResult, error) {
	c := w.newMaker(ctx, opImport, path, "")
	if len(entries) == 0 {
		c.refuse(Errorf(ErrInvalid, "there is no entry to import"))
	}
	added := make([]Entry, len(entries))
	for i, e := range entries {
		c.checkEntry(e.Content, true, e.ID)
		added[i] = w.As(e.Author).newEntry(bytes.Clone(e.Content))
		added[i].Time = c.importedTime(e.ID, entries[0].ID+int64(i), e.Time)
	}
	q := store.Query{Log: c.path, Entries: &store.EntryQuery{Tail: true, Limit: 1}}
	return c.appendTo(ctx, q, func(r *run) error {
		if now := r.Log.Last; !r.Log.Exists() && last != 0 || r.Log.Exists() && last != now {
			return or(Errorf(ErrConflict, "the last entry of the log is not %d any more", last), store.DoRetry, 0)
		}
		return r.saveEntries(notBefore(added, r.Entries), entries[0].ID)
	})
}

// DatabaseID returns the id of the database. The first call makes a random id and stores it.
// A copy of a database has the same id. Errors: [ErrReadOnly] if there is no id yet and the
// store takes no writes.
func (s *Service) DatabaseID(ctx context.Context) (id string, err error) {
	if err = checkContext(ctx); err == nil {
		_, err = records.Update(s.store.System(ctx), "database/id", func(r Record) ([]byte, error) {
			if id = string(r.Value); r.Revision > 0 {
				return nil, nil
			}
			id = rand.Text()
			return []byte(id), nil
		})
	}
	if err != nil {
		return "", within("id of", "database", err)
	}
	return id, nil
}

// maxImported is the highest number of a version or an entry that an import may give. It
// leaves room for the numbers that follow.
const maxImported = 1 << 40

// importedTime checks the number and the time of what is imported. It returns the time as
// a store keeps it.
func (c *write) importedTime(n, want int64, at time.Time) time.Time {
	switch {
	case n != want:
		c.refuse(Errorf(ErrInvalid, "number %d follows %d; the numbers must be ascending, and those of entries "+
			"consecutive", n, want-1))
	case n < 1 || n > maxImported:
		c.refuse(Errorf(ErrInvalid, "the number %d is not one of 1 to 2^40", n))
	case at.After(c.now.Add(clockSkew)):
		c.refuse(Errorf(ErrInvalid, "number %d is of %s, which is in the future; set the clock of this machine", n,
			at.Format(time.RFC3339)))
	case at.IsZero():
		return c.now
	}
	c.refuseYear(at)
	return at.UTC().Truncate(time.Microsecond)
}

// refuseYear refuses a time whose year in UTC has not four digits. JSON cannot hold such a time,
// and nothing that lists it could be written.
func (c *write) refuseYear(at time.Time) {
	if y := at.UTC().Year(); y < 1 || y > 9999 {
		c.refuse(Errorf(ErrInvalid, "the year %d is not one of 1 to 9999", y))
	}
}

// notBefore returns the entries with times that do not go back, also not behind the
// newest entry of the log.
func notBefore(entries, newest []Entry) []Entry {
	entries = append([]Entry(nil), entries...) // the caller may run again
	var last time.Time
	for _, e := range newest {
		last = e.Time
	}
	for i := range entries {
		if entries[i].Time.Before(last) {
			entries[i].Time = last
		}
		last = entries[i].Time
	}
	return entries
}
