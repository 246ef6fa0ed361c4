package workspace

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const opImport = "import"

// ImportFile stores the history of a file that was kept elsewhere, in one transaction:
// all versions or none. The path must never have been a file of the agent, not even one
// that was deleted, else the error is [ErrConflict].
//
// The versions are given the oldest first, with consecutive numbers and their content,
// author and time. A zero time is now. Size and SHA256 are computed. If there are more
// than [Limits.Versions], the newest are stored. They keep their numbers, unless the first
// is one that the agent may have given before; then they get the next ones. A time before
// that of the version before is raised to it. A version that is Redacted keeps its receipt
// and has no content; the last one must not be. Errors: [ErrTooLarge], [ErrQuota],
// [ErrConflict].
func (w *Workspace) ImportFile(ctx context.Context, path string, versions []Version) (WriteResult, error) {
	p, err := w.start(ctx, opImport, path)
	if err != nil {
		return WriteResult{}, err
	}
	versions = append([]Version(nil), versions[max(0, len(versions)-int(w.svc.limits.Versions)):]...)
	if len(versions) == 0 {
		return WriteResult{}, fail(ErrInvalid, opImport, path, "there is no version to import")
	}
	a, err := w.newAttempt(opImport, p.name, "")
	if err != nil {
		return WriteResult{}, err
	}
	for i := range versions {
		v := &versions[i]
		if err := w.svc.limits.checkText(opImport, path, v.Content, FileSize); err != nil {
			return WriteResult{}, err
		}
		if v.Time, err = importedTime(path, v.Number, versions[0].Number+int64(i), v.Time, a.now,
			clockSkew); err != nil {
			return WriteResult{}, err
		}
		v.Author, v.Content = w.As(v.Author).author, bytes.Clone(v.Content)
		if r := v.Redacted; r != nil {
			*v = redacted(*v, Redaction{Time: r.Time, Author: stored(w.As(r.Author).author)})
			continue
		}
		v.Size, v.SHA256 = int64(len(v.Content)), sha256.Sum256(v.Content)
	}
	if last := versions[len(versions)-1]; last.Redacted != nil {
		return WriteResult{}, fail(ErrInvalid, opImport, path, "version %d is redacted, and cannot be the current one",
			last.Number)
	}
	q := store.Query{File: p.name}
	out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (out store.Outcome, err error) {
		head, state := l.File, l.Owner
		if head.Version > 0 {
			return store.Outcome{}, or(Errorf(ErrConflict, "the path was a file before, up to version %d",
				head.Version), DoRead, 0)
		}
		for i, v := range versions {
			if i > 0 {
				a.ops = 0 // all versions are one operation
				if l, err = tx.Load(q); err != nil {
					return store.Outcome{}, err
				}
				head, state = l.File, l.Owner
			}
			if out, err = w.saveVersion(tx, a, head, state, v, OpEdit, 0); err != nil {
				return store.Outcome{}, err
			}
		}
		return out, nil
	})
	if err != nil {
		return WriteResult{}, within(opImport, path, err)
	}
	return WriteResult{Path: p.name, Version: out.Number, Bytes: out.Bytes, Time: a.made}, nil
}

// ImportLog appends entries that were kept elsewhere to a log, with their authors and
// times, all of them or none. last is the number of the log's last entry, or 0 if there is
// no log; if that is not so, the error is [ErrConflict].
//
// The entries have consecutive numbers. A path that never was a log keeps them, unless the
// first is one that the agent may have given before. Otherwise the entries get the next
// numbers. A zero time is now. A time before that of the entry before is raised to it.
// Errors: [ErrTooLarge], [ErrQuota], [ErrConflict].
func (w *Workspace) ImportLog(ctx context.Context, path string, last int64, entries []Entry) (AppendResult, error) {
	p, err := w.start(ctx, opImport, path)
	if err != nil {
		return AppendResult{}, err
	}
	if len(entries) == 0 {
		return AppendResult{}, fail(ErrInvalid, opImport, path, "there is no entry to import")
	}
	a, err := w.newAttempt(opImport, p.name, "")
	if err != nil {
		return AppendResult{}, err
	}
	added := make([]Entry, len(entries))
	for i, e := range entries {
		if err := w.svc.limits.checkText(opImport, fmt.Sprintf("%s, entry %d", path, e.ID), e.Content,
			EntrySize); err != nil {
			return AppendResult{}, err
		}
		at, err := importedTime(path, e.ID, entries[0].ID+int64(i), e.Time, a.now, clockSkew)
		if err != nil {
			return AppendResult{}, err
		}
		added[i] = w.As(e.Author).newEntry(bytes.Clone(e.Content))
		added[i].ID, added[i].Time = e.ID, at
	}
	q := store.Query{Log: p.name, Entries: &store.EntryQuery{Tail: true, Limit: 1}}
	out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		if now := l.Log.Last; !l.Log.Exists() && last != 0 || l.Log.Exists() && last != now {
			return store.Outcome{}, or(Errorf(ErrConflict, "the last entry of the log is not %d any more", last),
				DoRetry, 0)
		}
		return w.saveEntries(tx, a, l.Log, l.Owner, notBefore(added, l.Entries))
	})
	if err != nil {
		return AppendResult{}, within(opImport, path, err)
	}
	return AppendResult{Path: p.name, First: out.Number - out.Count + 1, Last: out.Number, Bytes: out.Bytes}, nil
}

// DatabaseID returns the id of the installation. The first call draws it at random and
// keeps it. A copy of a database has the same id.
// Errors: [ErrReadOnly] if there is no id yet and the store takes no writes.
func (s *Service) DatabaseID(ctx context.Context) (id string, err error) {
	if err := checkContext(ctx, "id of", "database"); err != nil {
		return "", err
	}
	_, err = records.Update(s.store.System(ctx), "database/id", func(r Record) ([]byte, error) {
		if r.Revision > 0 {
			id = string(r.Value)
			return nil, nil
		}
		id = rand.Text()
		return []byte(id), nil
	})
	if err != nil {
		return "", within("id of", "database", err)
	}
	return id, nil
}

// maxImported is the highest number of a version or an entry that an import may give. It
// leaves room for the numbers that follow.
const maxImported = 1 << 40

// importedTime checks the number and the time of what is imported. It returns the time as
// a store keeps it. skew is how far the clocks of processes may be apart.
func importedTime(path string, n, want int64, at, now time.Time, skew time.Duration) (time.Time, error) {
	switch {
	case n != want:
		return at, fail(ErrInvalid, "import", path, "number %d follows %d; the numbers must be consecutive", n, want-1)
	case n < 1 || n > maxImported:
		return at, fail(ErrInvalid, "import", path, "the number %d is not one of 1 to 2^40", n)
	case at.After(now.Add(skew)):
		return at, fail(ErrInvalid, "import", path,
			"number %d is of %s, which is in the future; set the clock of this machine", n, at.Format(time.RFC3339))
	case at.IsZero():
		return now, nil
	}
	return at.UTC().Truncate(time.Microsecond), nil
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
