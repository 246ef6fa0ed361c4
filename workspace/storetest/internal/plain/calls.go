package plain

import (
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Calls has a method for each thing that a Tx does. The model is made of them, and so are
// stores with a planted fault.
type Calls interface {
	Reads
	Saves
}

// Reads are the Calls that change nothing.
type Reads interface {
	Owner() (store.OwnerState, error)
	Entries(path string, q store.EntryQuery) ([]store.Entry, error)
	Changes(after int64, limit int) ([]store.Change, error)
	Summaries(path string) ([]store.Summary, error)

	File(path string) (store.FileHead, store.OwnerState, error)
	Current(path string) (store.FileHead, store.Version, error)
	Version(path string, n int64) (store.Version, error)
	Versions(path string) ([]store.Version, error)
	Summary(path string, k store.SummaryKey) (store.Summary, error)
	Log(path string) (store.LogHead, store.OwnerState, error)
	EntryBytes(path string, through int64) (int64, error)
	Request(key string) (store.Request, error)
	DueRequests(from, to time.Time, n int) (int, error)

	Files(prefix, after string, limit int) ([]store.FileHead, error)
	DeletedFiles(limit int) ([]store.File, error)
	AuthoredFiles(prefix, after string, limit int) ([]store.File, error)
	CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]store.File, bool, error)
	KeptVersions(store.ScanQuery) (store.Scanned, error)
	Logs(prefix, after string, limit int) ([]store.LogHead, error)
}

// Saves are the Calls that change something.
type Saves interface {
	SaveFile(store.FileChange) error
	SaveLog(store.LogChange) error
	MoveFile(store.FileMove) error
	RedactVersion(store.VersionRedaction) error
	RedactEntry(store.EntryRedaction) error
	SaveSummary(store.SummaryChange) error
	SaveRequest(store.Request) error
	SaveOwner(store.OwnerState) error
	ForgetFiles(n int) (int64, error)
	ForgetLogs(n int) (int64, error)
	DropRequests(from, to time.Time, n int) error
	DropChanges(through int64) error
}

// Read returns the Reads of a Reader.
func Read(r store.Reader) Reads { return reads{r} }

type reads struct{ store.Reader }

func (r reads) File(path string) (store.FileHead, store.OwnerState, error) {
	l, err := r.Load(store.Query{File: path})
	return l.File, l.Owner, err
}

func (r reads) Current(path string) (store.FileHead, store.Version, error) {
	l, err := r.Load(store.Query{File: path, Current: true})
	return l.File, l.Version, err
}

func (r reads) Version(path string, n int64) (store.Version, error) {
	l, err := r.Load(store.Query{File: path, Version: n})
	if err == nil && l.Version.Number == 0 {
		err = store.ErrNotFound
	}
	return l.Version, err
}

func (r reads) Versions(path string) ([]store.Version, error) {
	l, err := r.Load(store.Query{File: path, History: true})
	return l.Versions, err
}

func (r reads) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	l, err := r.Load(store.Query{File: path, Summary: &k})
	if err == nil && l.Summary == nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Summary{}, err
	}
	return *l.Summary, nil
}

func (r reads) Log(path string) (store.LogHead, store.OwnerState, error) {
	l, err := r.Load(store.Query{Log: path})
	return l.Log, l.Owner, err
}

func (r reads) EntryBytes(path string, through int64) (int64, error) {
	l, err := r.Load(store.Query{Log: path, Through: through})
	return l.Bytes, err
}

func (r reads) Request(key string) (store.Request, error) {
	l, err := r.Load(store.Query{Request: key})
	if err == nil && l.Request == nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Request{}, err
	}
	return *l.Request, nil
}

func (r reads) DueRequests(from, to time.Time, n int) (int, error) {
	l, err := r.Load(store.Query{DueBefore: from, DueAfter: to, MaxDue: n})
	return l.Due, err
}

func (r reads) Files(prefix, after string, limit int) (heads []store.FileHead, err error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit})
	for _, f := range page.Files {
		heads = append(heads, f.FileHead)
	}
	return heads, err
}

func (r reads) DeletedFiles(limit int) ([]store.File, error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: limit})
	return page.Files, err
}

func (r reads) AuthoredFiles(prefix, after string, limit int) ([]store.File, error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit,
		Authors: true})
	return page.Files, err
}

func (r reads) CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]store.File, bool, error) {
	page, err := r.Scan(store.ScanQuery{
		Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit, Contents: true, MaxBytes: maxBytes,
	})
	return page.Files, page.More, err
}

func (r reads) KeptVersions(q store.ScanQuery) (store.Scanned, error) { return r.Scan(q) }

func (r reads) Logs(prefix, after string, limit int) ([]store.LogHead, error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindLog, Prefix: prefix, After: after, Limit: limit})
	return page.Logs, err
}

// Split returns the Calls of a Tx.
func Split(tx store.Tx) Calls { return split{reads{tx}, tx} }

type split struct {
	reads
	tx store.Tx
}

func (s split) SaveFile(c store.FileChange) error            { return s.tx.Apply(c) }
func (s split) SaveLog(c store.LogChange) error              { return s.tx.Apply(c) }
func (s split) MoveFile(m store.FileMove) error              { return s.tx.Apply(m) }
func (s split) RedactVersion(r store.VersionRedaction) error { return s.tx.Apply(r) }
func (s split) RedactEntry(r store.EntryRedaction) error     { return s.tx.Apply(r) }
func (s split) SaveSummary(c store.SummaryChange) error      { return s.tx.Apply(c) }
func (s split) SaveRequest(q store.Request) error            { return s.tx.Apply(q) }
func (s split) SaveOwner(o store.OwnerState) error           { return s.tx.Apply(o) }
func (s split) ForgetFiles(n int) (int64, error)             { return s.tx.ForgetDeleted(store.KindFile, n) }
func (s split) ForgetLogs(n int) (int64, error)              { return s.tx.ForgetDeleted(store.KindLog, n) }
func (s split) DropChanges(through int64) error              { return s.tx.Forget(store.Old{Changes: through}) }
func (s split) DropRequests(from, to time.Time, n int) error {
	return s.tx.Forget(store.Old{Requests: n, DueBefore: from, DueAfter: to})
}

// Join returns a Tx that is made of Calls.
func Join(c Calls) store.Tx { return joined{c} }

type joined struct{ Calls }

// A loader has a Load of its own.
type loader interface {
	Load(store.Query) (store.Loaded, error)
}

func (j joined) Load(q store.Query) (store.Loaded, error) {
	if l, ok := j.Calls.(loader); ok {
		return l.Load(q)
	}
	return load(j.Calls, q)
}

// load composes a Load of single calls.
func load(c Calls, q store.Query) (l store.Loaded, err error) {
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	l.Owner, err = c.Owner()
	keep(err)
	if q.File != "" {
		keep(loadFile(c, q, &l))
	}
	if q.To != "" {
		l.To, _, err = c.File(q.To)
		keep(err)
	}
	if q.Log != "" {
		l.Log, _, err = c.Log(q.Log)
		keep(err)
		if q.Entries != nil && l.Log.Exists() {
			l.Entries, err = c.Entries(q.Log, *q.Entries)
			keep(err)
		}
		l.Bytes, err = c.EntryBytes(q.Log, q.Through)
		keep(err)
	}
	if q.Request != "" {
		if kept, err := c.Request(q.Request); err == nil {
			l.Request = &kept
		}
	}
	if q.MaxDue > 0 && l.Owner.Requests > 0 {
		l.Due, err = c.DueRequests(q.DueBefore, q.DueAfter, q.MaxDue)
		keep(err)
	}
	return l, errors.Join(errs...)
}

func loadFile(c Calls, q store.Query, l *store.Loaded) (err error) {
	if l.File, _, err = c.File(q.File); err != nil {
		return err
	}
	h := l.File
	if q.Summary != nil {
		key := *q.Summary
		if key.Version == 0 {
			key.Version = h.Version
		}
		if s, err := c.Summary(q.File, key); err == nil {
			l.Summary = &s
		}
	}
	if len(h.Sizes) == 0 {
		return nil
	}
	one := func(n int64) (store.Version, error) {
		if !h.Has(n) {
			return store.Version{}, nil
		}
		v, err := c.Version(q.File, n)
		if errors.Is(err, store.ErrNotFound) {
			err = store.MissingVersion(n)
		}
		return v, err
	}
	var err1, err2, err3 error
	switch {
	case q.Version != 0:
		l.Version, err1 = one(q.Version)
	case !h.Deleted && q.Current && (q.MaxBytes == 0 || h.Size() <= q.MaxBytes):
		if _, l.Version, err1 = c.Current(q.File); errors.Is(err1, store.ErrNotFound) {
			err1 = store.MissingVersion(h.Version)
		}
		if q.Since == h.Version {
			l.Version.Content = nil
		}
	}
	if q.Since != 0 && (h.Deleted || q.Since != h.Version) {
		l.Old, err2 = one(q.Since)
	}
	if q.History {
		l.Versions, err3 = c.Versions(q.File)
	}
	return errors.Join(err1, err2, err3)
}

func (j joined) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	switch {
	case q.Kind == store.KindLog:
		s.Logs, err = j.Logs(q.Prefix, q.After, q.Limit+1)
	case q.Versions:
		return j.KeptVersions(q)
	case q.Deleted:
		s.Files, err = j.DeletedFiles(q.Limit + 1)
	case q.Contents:
		s.Files, s.More, err = j.CurrentFiles(q.Prefix, q.After, q.Limit, q.MaxBytes)
		return s, err
	case q.Authors:
		s.Files, err = j.AuthoredFiles(q.Prefix, q.After, q.Limit+1)
	default:
		var heads []store.FileHead
		heads, err = j.Files(q.Prefix, q.After, q.Limit+1)
		for _, h := range heads {
			s.Files = append(s.Files, store.File{FileHead: h})
		}
	}
	s.Cut(q.Limit)
	return s, err
}

func (j joined) Apply(w store.Write) error {
	switch w := w.(type) {
	case store.FileChange:
		return j.SaveFile(w)
	case store.LogChange:
		return j.SaveLog(w)
	case store.FileMove:
		return j.MoveFile(w)
	case store.VersionRedaction:
		return j.RedactVersion(w)
	case store.EntryRedaction:
		return j.RedactEntry(w)
	case store.SummaryChange:
		return j.SaveSummary(w)
	case store.Request:
		return j.SaveRequest(w)
	}
	return j.SaveOwner(w.(store.OwnerState))
}

func (j joined) ForgetDeleted(kind store.PathKind, n int) (int64, error) {
	if kind == store.KindFile {
		return j.ForgetFiles(n)
	}
	return j.ForgetLogs(n)
}

func (j joined) Forget(o store.Old) error {
	if o.Changes > 0 {
		if err := j.DropChanges(o.Changes); err != nil {
			return err
		}
	}
	if o.Requests > 0 {
		return j.DropRequests(o.DueBefore, o.DueAfter, o.Requests)
	}
	return nil
}
