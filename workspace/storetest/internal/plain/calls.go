package plain

import (
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
	store.Reader

	Files(prefix, after string, limit int) ([]store.FileHead, error)
	AuthoredFiles(prefix, after string, limit int) ([]store.File, error)
	CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]store.File, bool, error)
	Logs(prefix, after string, limit int) ([]store.LogHead, error)
}

// Saves are the Calls that change something.
type Saves interface {
	SaveFile(store.FileChange) error
	SaveLog(store.LogChange) error
	MoveFile(store.FileMove) error
	RedactVersion(store.VersionRedaction) error
	SaveSummary(store.SummaryChange) error
	SaveRequest(store.Request) error
	SaveOwner(store.OwnerState) error
	FoldFiles(n int) (int64, error)
	FoldLogs(n int) (int64, error)
	DropRequests(from, to time.Time, n int) error
	DropChanges(through int64) error
}

// Read returns the Reads of a Reader.
func Read(r store.Reader) Reads { return reads{r} }

type reads struct{ store.Reader }

func (r reads) Files(prefix, after string, limit int) (heads []store.FileHead, err error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit})
	for _, f := range page.Files {
		heads = append(heads, f.FileHead)
	}
	return heads, err
}

func (r reads) AuthoredFiles(prefix, after string, limit int) ([]store.File, error) {
	page, err := r.Scan(store.ScanQuery{Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit, Authors: true})
	return page.Files, err
}

func (r reads) CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]store.File, bool, error) {
	page, err := r.Scan(store.ScanQuery{
		Kind: store.KindFile, Prefix: prefix, After: after, Limit: limit, Contents: true, MaxBytes: maxBytes,
	})
	return page.Files, page.More, err
}

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
func (s split) SaveSummary(c store.SummaryChange) error      { return s.tx.Apply(c) }
func (s split) SaveRequest(q store.Request) error            { return s.tx.Apply(q) }
func (s split) SaveOwner(o store.OwnerState) error           { return s.tx.Apply(o) }
func (s split) FoldFiles(n int) (int64, error)               { return s.tx.Fold(store.KindFile, n) }
func (s split) FoldLogs(n int) (int64, error)                { return s.tx.Fold(store.KindLog, n) }
func (s split) DropChanges(through int64) error              { return s.tx.Forget(store.Old{Changes: through}) }
func (s split) DropRequests(from, to time.Time, n int) error {
	return s.tx.Forget(store.Old{Requests: n, From: from, Until: to})
}

// Join returns a Tx that is made of Calls.
func Join(c Calls) store.Tx { return joined{c} }

type joined struct{ Calls }

func (j joined) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	switch {
	case q.Kind == store.KindLog:
		s.Logs, err = j.Logs(q.Prefix, q.After, q.Limit+1)
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
	case store.SummaryChange:
		return j.SaveSummary(w)
	case store.Request:
		return j.SaveRequest(w)
	}
	return j.SaveOwner(w.(store.OwnerState))
}

func (j joined) Fold(kind store.PathKind, n int) (int64, error) {
	if kind == store.KindFile {
		return j.FoldFiles(n)
	}
	return j.FoldLogs(n)
}

func (j joined) Forget(o store.Old) error {
	if o.Changes > 0 {
		if err := j.DropChanges(o.Changes); err != nil {
			return err
		}
	}
	if o.Requests > 0 {
		return j.DropRequests(o.From, o.Until, o.Requests)
	}
	return nil
}
