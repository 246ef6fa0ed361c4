package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// VerifyOptions of [Store.Verify]. The zero value works.
type VerifyOptions struct {
	Progress func(done, total int64) // called now and then with the bytes of content checked and all bytes; nil: not called
}

// VerifyReport is the result of [Store.Verify].
type VerifyReport struct {
	Owners, Versions, Entries, Bytes int64    // how many were checked
	Deleted                          int64    // how many of the owners hold nothing any more; Store.Owners does not list them
	Problems                         []string // at most 100; each names its object. nil: none was found
}

const mostProblems = 100

// Verify reads and checks everything that agents have stored: SQLite's own structure, the
// checksum of each row, the SHA-256 of each content, that versions and entries have no
// gaps, and that the counters agree with the rows. It changes nothing. Others may read and
// write meanwhile: each owner is checked in a snapshot of its own.
//
// Damage is in the report. Verify returns an error only if it could not go on.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (VerifyReport, error) {
	var report VerifyReport
	err := s.read(ctx, func(c *conn) (err error) {
		report, err = c.verifyAll(ctx, o, func(owner string, fn func(*conn) error) error {
			// A snapshot for each owner, so that the write-ahead log can shrink between them.
			if _, err := c.exec("COMMIT"); err != nil {
				return err
			}
			if _, err := c.exec("BEGIN"); err != nil {
				return err
			}
			if err := c.fenceRead(); err != nil {
				return err
			}
			return fn(c)
		})
		return err
	})
	if err != nil {
		return report, dbfile.Wrap(err, "verify")
	}
	return report, nil
}

func (r *VerifyReport) problem(format string, args ...any) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// verifyAll checks the database's structure and then every owner, each in a snapshot.
func (c *conn) verifyAll(ctx context.Context, o VerifyOptions, snapshot func(owner string, fn func(*conn) error) error) (VerifyReport, error) {
	var r VerifyReport
	if err := r.damage(c.structure(ctx, &r)); err != nil {
		return r, err
	}
	if err := r.damage(c.checkSchema()); err != nil {
		return r, err
	}
	if err := r.damage(c.records(&r)); err != nil {
		return r, err
	}
	owners, err := c.ownerNames()
	if err = r.damage(err); err != nil {
		return r, err
	}
	total, err := c.number("SELECT coalesce(sum(bytes), 0) FROM owners")
	if err = r.damage(err); err != nil {
		return r, err
	}
	for _, owner := range owners {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		err := snapshot(owner, func(c *conn) error {
			return ownerCheck{reader: reader{c: c, owner: owner}, ctx: ctx, report: &r, total: total, progress: o.Progress}.run()
		})
		if err = r.damage(err); err != nil {
			return r, err
		}
		r.Owners++
	}
	return r, nil
}

// structure runs SQLite's own check of its pages.
func (c *conn) structure(ctx context.Context, r *VerifyReport) error {
	return c.each(func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			r.problem("structure: %v", said)
		}
		return ctx.Err()
	}, "PRAGMA quick_check(20)")
}

// damage adds an error about damage to the problems and returns nil. It returns other
// errors.
func (r *VerifyReport) damage(err error) error {
	if errors.Is(err, workspace.ErrCorrupt) {
		r.problem("%v", err)
		return nil
	}
	return err
}

// ownerNames returns every owner that has a row in any table.
func (c *conn) ownerNames() (owners []string, err error) {
	err = c.each(func(f *row.Fields) error {
		owners = append(owners, f.Text())
		return f.Err("name of", "an owner")
	}, "SELECT owner FROM owners UNION SELECT owner FROM files UNION SELECT owner FROM logs"+
		" UNION SELECT owner FROM versions UNION SELECT owner FROM entries UNION SELECT owner FROM requests"+
		" UNION SELECT owner FROM summaries"+c.journalOwners()+" ORDER BY owner")
	return owners, err
}

// ownerCheck compares the rows of an owner with its counters.
type ownerCheck struct {
	reader
	ctx      context.Context
	report   *VerifyReport
	total    int64
	progress func(done, total int64)
}

func (k ownerCheck) run() error {
	have, err := k.Owner()
	if err == nil && have.Usage == (workspace.Usage{}) {
		k.report.Deleted++
	}
	if err = k.report.damage(err); err != nil {
		return err
	}
	var sum workspace.OwnerState
	for _, part := range []func(*workspace.OwnerState) error{k.files, k.summaries, k.logs, k.requests, k.journal} {
		if err := k.report.damage(part(&sum)); err != nil {
			return err
		}
	}
	sum.Operations, sum.FileFloor, sum.LogFloor, sum.Updated = have.Operations, have.FileFloor, have.LogFloor, have.Updated
	if sum.Changes == 0 {
		sum.Revision = have.Revision
	}
	if sum != have {
		k.report.problem("%s: the counters say %+v, the content is %+v", k.owner, have, sum)
	}
	return nil
}

// files checks the heads of the files and their versions.
func (k ownerCheck) files(sum *workspace.OwnerState) error {
	var heads []workspace.FileHead
	err := k.c.each(func(f *row.Fields) error {
		heads = append(heads, f.File(k.owner))
		return f.Err("head of file", heads[len(heads)-1].Path)
	}, "SELECT "+row.FileColumns+" FROM files WHERE owner = ? ORDER BY path", k.owner)
	if err != nil {
		return err
	}
	kept := 0
	for _, h := range heads {
		if h.Deleted {
			sum.DeletedFiles++
		} else {
			sum.Files++
		}
		kept += len(h.Sizes)
		sum.Versions += int64(len(h.Sizes))
		if err := k.versions(h, sum); err != nil {
			return err
		}
	}
	rows, err := k.c.number("SELECT count(*) FROM versions WHERE owner = ?", k.owner)
	if err == nil && rows != int64(kept) {
		k.report.problem("%s: %d versions are stored, the files have %d", k.owner, rows, kept)
	}
	return err
}

func (k ownerCheck) versions(h workspace.FileHead, sum *workspace.OwnerState) error {
	for i, size := range h.Sizes {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		n := h.Oldest() + int64(i)
		v, err := k.Version(h.Path, n)
		switch {
		case errors.Is(err, workspace.ErrNotFound), errors.Is(err, workspace.ErrCorrupt):
			k.report.problem("%s: file %s: version %d: %v", k.owner, h.Path, n, err)
		case err != nil:
			return err
		case sha256.Sum256(v.Content) != v.SHA256 || v.Size != int64(len(v.Content)) || v.Size != size:
			k.report.problem("%s: file %s: version %d: its bytes do not match their SHA-256", k.owner, h.Path, n)
		}
		sum.Bytes += size
		k.report.Versions++
		k.count(size)
	}
	return nil
}

// summaries checks each summary, and the bytes of summaries in the files' heads. A file
// keeps summaries of its current version only.
func (k ownerCheck) summaries(sum *workspace.OwnerState) error {
	heads, err := k.summarised()
	if err != nil {
		return err
	}
	bytes := map[string]int64{}
	err = k.c.each(func(f *row.Fields) error {
		path, _ := f.Row[0].(string)
		s := f.Summary(k.owner, path)
		s.Content = f.Content()
		h, known := heads[path]
		switch {
		case f.Bad:
			k.report.problem("%s: %v", k.owner, f.Err("summary of", fmt.Sprintf("%s at version %d", path, s.Version)))
		case sha256.Sum256(s.Content) != s.SHA256:
			k.report.problem("%s: file %s: summary of version %d: its bytes do not match their SHA-256", k.owner, path, s.Version)
		case known && (h.Deleted || h.Version != s.Version):
			k.report.problem("%s: file %s: there is a summary of version %d, which is not the current one", k.owner, path, s.Version)
		}
		bytes[path] += int64(len(s.Content))
		sum.Bytes += int64(len(s.Content))
		k.count(int64(len(s.Content)))
		return k.ctx.Err()
	}, "SELECT "+row.SummaryColumns+", content FROM summaries WHERE owner = ?", k.owner)
	if err != nil {
		return err
	}
	for path, h := range heads {
		if h.Summary != bytes[path] {
			k.report.problem("%s: file %s: its summaries have %d bytes, its head says %d", k.owner, path, bytes[path], h.Summary)
		}
	}
	for path := range bytes {
		if _, known := heads[path]; !known {
			k.report.problem("%s: there are summaries of %s, which is no file", k.owner, path)
		}
	}
	return nil
}

// summarised returns the heads of the files that have summaries or whose heads say so.
func (k ownerCheck) summarised() (map[string]workspace.FileHead, error) {
	heads := map[string]workspace.FileHead{}
	err := k.c.each(func(f *row.Fields) error {
		h := f.File(k.owner)
		heads[h.Path] = h
		return k.ctx.Err() // files has already reported damaged heads
	}, "SELECT "+row.FileColumns+" FROM files WHERE owner = ?1 AND (summary_bytes > 0 OR path IN (SELECT path FROM summaries WHERE owner = ?1))", k.owner)
	return heads, err
}

func (k ownerCheck) count(bytes int64) {
	k.report.Bytes += bytes
	if k.progress != nil {
		k.progress(k.report.Bytes, max(k.total, k.report.Bytes))
	}
}

func (k ownerCheck) logs(sum *workspace.OwnerState) error {
	var heads []workspace.LogHead
	err := k.c.each(func(f *row.Fields) error {
		heads = append(heads, f.Log(k.owner))
		return f.Err("head of log", heads[len(heads)-1].Path)
	}, "SELECT "+row.LogColumns+" FROM logs WHERE owner = ? ORDER BY path", k.owner)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if h.Deleted {
			sum.DeletedLogs++
		} else {
			sum.Logs++
		}
		if err := k.entries(h, sum); err != nil {
			return err
		}
	}
	rows, err := k.c.number("SELECT count(*) FROM entries WHERE owner = ?", k.owner)
	if err == nil && rows != sum.Entries {
		k.report.problem("%s: %d entries are stored, the logs have %d", k.owner, rows, sum.Entries)
	}
	return err
}

func (k ownerCheck) entries(h workspace.LogHead, sum *workspace.OwnerState) error {
	var bytes, n int64
	next := h.First
	for next <= h.Last {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		page, err := k.Entries(h.Path, workspace.EntryQuery{After: next - 1, Limit: 500, MaxBytes: 4 << 20})
		if errors.Is(err, workspace.ErrCorrupt) {
			k.report.problem("%s: log %s after entry %d: %v", k.owner, h.Path, next-1, err)
			break
		}
		if err != nil {
			return err
		}
		if len(page) == 0 || page[0].ID != next {
			k.report.problem("%s: log %s: entry %d is missing", k.owner, h.Path, next)
			break
		}
		for _, e := range page {
			if sha256.Sum256(e.Content) != e.SHA256 {
				k.report.problem("%s: log %s: entry %d: its bytes do not match their SHA-256", k.owner, h.Path, e.ID)
			}
			bytes += int64(len(e.Content))
			n++
			k.count(int64(len(e.Content)))
		}
		next = page[len(page)-1].ID + 1
	}
	if bytes != h.Bytes {
		k.report.problem("%s: log %s: %d bytes are stored, its head says %d", k.owner, h.Path, bytes, h.Bytes)
	}
	sum.Bytes += h.Bytes
	sum.Entries += h.Entries()
	k.report.Entries += n
	return nil
}

func (k ownerCheck) requests(sum *workspace.OwnerState) error {
	return k.c.each(func(f *row.Fields) error {
		sum.Requests++
		q := f.Request(k.owner)
		if err := f.Err("request", q.Key); err != nil {
			k.report.problem("%s: %v", k.owner, err)
		}
		return k.ctx.Err()
	}, "SELECT "+row.RequestColumns+" FROM requests WHERE owner = ?", k.owner)
}

// records checks the small records of the installation.
func (c *conn) records(r *VerifyReport) error {
	return c.each(func(f *row.Fields) error {
		rec := f.Record()
		if err := f.Err("record", rec.Key); err != nil {
			r.problem("%v", err)
		}
		return nil
	}, "SELECT "+row.RecordColumns+" FROM records")
}
