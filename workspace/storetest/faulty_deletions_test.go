package storetest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var faultyDeletions = []faultyStore{
	{"a deletion removes the versions", bendFile(func(c *store.FileChange) {
		if c.Head.Deleted {
			c.Prune = c.Head.Version
		}
	}), []string{"Deletions/VersionsStay", "Deletions/Redacted", "Model"}},
	{"an expired file keeps its versions", bendFile(func(c *store.FileChange) {
		if c.Head.Deleted && len(c.Head.Sizes) == 0 && c.New == nil {
			c.Prune = 0
		}
	}), []string{"Deletions/Expired"}},
	{"heads have no deleter", bendFile(func(c *store.FileChange) { c.Head.Deleter = store.Author{} }), []string{"Deletions/VersionsStay", "Deletions/Fields"}},
	{"heads keep the session of the deleter", bendHead(func(h *store.FileHead) { h.Deleter.Session = "s" }), []string{"Deletions/VersionsStay", "Deletions/Fields"}},
	{"a deadline has seconds", bendFile(func(c *store.FileChange) { c.Head.Expires = c.Head.Expires.Truncate(time.Second) }), []string{"Deletions/VersionsStay", "Deletions/Fields"}},
	{"the time of a run has seconds", bendFile(func(c *store.FileChange) {
		c.Head.Runs = slices.Clone(c.Head.Runs)
		for i := range c.Head.Runs {
			c.Head.Runs[i].Created = c.Head.Runs[i].Created.Truncate(time.Second)
		}
	}), []string{"Deletions/Lives", "Deletions/Fields"}},
	{"heads have no runs", bendHead(func(h *store.FileHead) { h.Runs = nil }), []string{"Deletions/Lives", "Deletions/MovedOnto", "Deletions/MovedAway"}},
	{"runs are shared by all paths", bend(func(tx plain.Calls) plain.Calls { return sharesRuns{tx} }), []string{"Deletions/MovedAway"}},
	{"Load finds no version of a deleted file", bend(func(tx plain.Calls) plain.Calls { return loadsNoDeleted{tx} }), []string{"Deletions/Load", "Deletions/VersionsStay"}},
	{"Load has a current version of a deleted file", bend(func(tx plain.Calls) plain.Calls { return loadsCurrent{tx} }), []string{"Deletions/Load", "Deletions/VersionsStay"}},
	{"deleted files are in order of path", bendDeleted(func(all []store.File) []store.File {
		slices.SortFunc(all, func(a, b store.File) int { return compare(a.Path, b.Path) })
		return all
	}), []string{"Deletions/List"}},
	{"deleted files are in order of deletion", bendDeleted(func(all []store.File) []store.File {
		slices.SortFunc(all, func(a, b store.File) int { return a.Updated.Compare(b.Updated) })
		return all
	}), []string{"Deletions/List"}},
	{"ties of deadlines are in any order", bendDeleted(func(all []store.File) []store.File {
		slices.Reverse(all)
		slices.SortStableFunc(all, func(a, b store.File) int { return a.Expires.Compare(b.Expires) })
		return all
	}), []string{"Deletions/List"}},
	{"a list has only the first deleted file", bendDeleted(func(all []store.File) []store.File { return all[:min(1, len(all))] }), []string{"Deletions/List"}},
	{"ForgetDeleted takes files that retain versions", bend(func(tx plain.Calls) plain.Calls { return forgetsKept{tx} }), []string{"Deletions/ForgetDeleted"}},
	{"a move removes what cannot go along", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.From.Sizes, m.From.Runs = nil, nil
		return tx.MoveFile(m)
	}), []string{"Deletions/MovedOnto", "Deletions/MovedAway"}},
	{"a move takes everything along", bendMove(func(tx plain.Calls, m store.FileMove) error {
		m.Above = 0
		return tx.MoveFile(m)
	}), []string{"Deletions/MovedAway"}},
	{"a move removes what the new path had", bend(func(tx plain.Calls) plain.Calls { return movesOver{tx} }), []string{"Deletions/MovedOnto"}},
	{"the redaction of a deleted file is not stored", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		if c.Head.Deleted {
			return nil
		}
		return tx.RedactVersion(c)
	}), []string{"Deletions/Redacted"}},
	{"a deletion outlives an error", updating(keepsOnError), []string{"Deletions/Undone"}},
	{"Dump has no runs", dumpRows(func(r *store.Row) bool {
		if r.File != nil {
			r.File.Runs = nil
		}
		return true
	}), []string{"Deletions/Dump", "Dump/Everything"}},
	{"Dump leaves deleted files out", dumpRows(func(r *store.Row) bool {
		return r.File == nil || !r.File.Deleted || len(r.File.Sizes) == 0
	}), []string{"Deletions/Dump"}},
	{"Restore takes rows that do not fit", restoring(func(s store.Store, ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
		if err := s.Restore(ctx, o, rows); !errors.Is(err, store.ErrInvalid) {
			return err
		}
		return nil
	}), []string{"Deletions/Damage"}},
	{"a redaction keeps the entry", bendEntryRedaction(func(tx plain.Calls, c store.EntryRedaction) error {
		return tx.SaveLog(store.LogChange{Head: c.Head, Change: c.Change, Owner: c.Owner})
	}), []string{"Redactions/Entry"}},
	{"a redaction of an entry adds no row", bendEntryRedaction(func(tx plain.Calls, c store.EntryRedaction) error {
		c.Change = store.Change{}
		return tx.RedactEntry(c)
	}), []string{"Redactions/Entry"}},
	{"a redaction reaches the next entry too", bendEntryRedaction(func(tx plain.Calls, c store.EntryRedaction) error {
		err := tx.RedactEntry(c)
		c.ID, c.Change = c.ID+1, store.Change{}
		return errors.Join(err, tx.RedactEntry(c))
	}), []string{"Redactions/Entry"}},
	{"the receipt of an entry has seconds", bendEntryRedaction(func(tx plain.Calls, c store.EntryRedaction) error {
		c.Time = c.Time.Truncate(time.Second)
		return tx.RedactEntry(c)
	}), []string{"Redactions/Entry"}},
	{"a receipt counts as bytes", bend(func(tx plain.Calls) plain.Calls { return countsReceipts{tx} }), []string{"Redactions/EntryBytes"}},
	{"a receipt counts towards MaxBytes", bend(func(tx plain.Calls) plain.Calls { return cutsReceipts{tx} }), []string{"Redactions/EntryBytes"}},
}

type bentFile struct {
	plain.Calls
	with func(*store.FileChange)
}

func (tx bentFile) SaveFile(c store.FileChange) error {
	tx.with(&c)
	return tx.Calls.SaveFile(c)
}

func bendFile(with func(*store.FileChange)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentFile{tx, with} })
}

type bentHead struct {
	plain.Calls
	with func(*store.FileHead)
}

func (tx bentHead) File(path string) (store.FileHead, store.OwnerState, error) {
	h, s, err := tx.Calls.File(path)
	tx.with(&h)
	return h, s, err
}

func (tx bentHead) Current(path string) (store.FileHead, store.Version, error) {
	h, v, err := tx.Calls.Current(path)
	tx.with(&h)
	return h, v, err
}

func bendHead(with func(*store.FileHead)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentHead{tx, with} })
}

type bentDeleted struct {
	plain.Calls
	with func([]store.File) []store.File
}

func (tx bentDeleted) DeletedFiles(limit int) ([]store.File, error) {
	all, err := tx.Calls.DeletedFiles(1000)
	all = tx.with(all)
	return all[:min(limit, len(all))], err
}

func bendDeleted(with func([]store.File) []store.File) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentDeleted{tx, with} })
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

type bentEntryRedaction struct {
	plain.Calls
	with func(plain.Calls, store.EntryRedaction) error
}

func (tx bentEntryRedaction) RedactEntry(c store.EntryRedaction) error { return tx.with(tx.Calls, c) }

func bendEntryRedaction(with func(plain.Calls, store.EntryRedaction) error) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentEntryRedaction{tx, with} })
}

// sharesRuns saves the runs that a move leaves as those of the new path too.
type sharesRuns struct{ plain.Calls }

func (tx sharesRuns) MoveFile(m store.FileMove) error {
	m.To.Runs = m.From.Runs
	return tx.Calls.MoveFile(m)
}

type loadsNoDeleted struct{ plain.Calls }

func (tx loadsNoDeleted) Load(q store.Query) (store.Loaded, error) {
	l, err := plain.Join(tx.Calls).Load(q)
	if l.File.Deleted {
		l.Version, l.Old, l.Versions = store.Version{}, store.Version{}, nil
	}
	return l, err
}

type loadsCurrent struct{ plain.Calls }

func (tx loadsCurrent) Load(q store.Query) (store.Loaded, error) {
	l, err := plain.Join(tx.Calls).Load(q)
	if err == nil && q.Current && l.File.Deleted && len(l.File.Sizes) > 0 {
		l.Version, err = tx.Calls.Version(q.File, l.File.Version)
	}
	return l, err
}

// forgetsKept takes files that retain versions for those without.
type forgetsKept struct{ plain.Calls }

func (tx forgetsKept) ForgetFiles(n int) (int64, error) {
	all, err := tx.DeletedFiles(n)
	for _, f := range all {
		h := f.FileHead
		h.Sizes, h.Runs, h.Expires = nil, nil, time.Time{}
		state, failed := tx.Owner()
		err = errors.Join(err, failed, tx.SaveFile(store.FileChange{Head: h, Prune: h.Version, Owner: state}))
	}
	highest, failed := tx.Calls.ForgetFiles(n)
	return highest, errors.Join(err, failed)
}

type movesOver struct{ plain.Calls }

func (tx movesOver) MoveFile(m store.FileMove) error {
	h, state, err := tx.File(m.To.Path)
	if h.Deleted {
		err = errors.Join(err, tx.SaveFile(store.FileChange{Head: h, Prune: h.Version, Owner: state}))
	}
	return errors.Join(err, tx.Calls.MoveFile(m))
}

type countsReceipts struct{ plain.Calls }

func (tx countsReceipts) EntryBytes(path string, through int64) (int64, error) {
	n, err := tx.Calls.EntryBytes(path, through)
	all, failed := tx.Entries(path, store.EntryQuery{})
	for _, e := range all {
		if e.Redacted != nil && e.ID <= through {
			n += 20
		}
	}
	return n, errors.Join(err, failed)
}

type cutsReceipts struct{ plain.Calls }

func (tx cutsReceipts) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	all, err := tx.Calls.Entries(path, q)
	i := slices.IndexFunc(all, func(e store.Entry) bool { return e.Redacted != nil })
	if q.MaxBytes > 0 && i > 0 {
		all = all[:i]
	}
	return all, err
}
