package storetest

import (
	"errors"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var faultyRedactions = []faultyStore{
	{"a redaction keeps the content", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		return tx.SaveFile(store.FileChange{Head: c.Head, Forget: c.Forget, Change: c.Change, Owner: c.Owner})
	}), []string{"Redactions/SavedIsRead", "Redactions/InTheTransaction", "Model"}},
	{"a redaction reaches the version before too", bendRedaction(redactsMore), []string{"Redactions/SavedIsRead"}},
	{"a redaction reaches a path of another case too", bendRedaction(redactsOtherCase), []string{"Redactions/OthersStay"}},
	{"a redaction adds no row", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		c.Change = store.Change{}
		return tx.RedactVersion(c)
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction leaves the head as it was", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) (err error) {
		c.Head, _, err = tx.File(c.Head.Path)
		return errors.Join(err, tx.RedactVersion(c))
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction leaves the owner's state as it was", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) (err error) {
		c.Owner, err = tx.Owner()
		return errors.Join(err, tx.RedactVersion(c))
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction forgets no summary", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		c.Forget = false
		return tx.RedactVersion(c)
	}), []string{"Redactions/Summaries"}},
	{"a redaction forgets every summary", bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		c.Forget = true
		return tx.RedactVersion(c)
	}), []string{"Redactions/Summaries"}},
	{"receipts have times of seconds", bendReceipt(func(r *store.Redaction) { r.Time = r.Time.Truncate(time.Second) }), []string{"Redactions/Times"}},
	{"receipts end at NUL", bendReceipt(func(r *store.Redaction) { r.Author.Key = cutText(r.Author.Key) }), []string{"Redactions/Authors"}},
	{"receipts are cut at 255 bytes", bendReceipt(func(r *store.Redaction) { r.Author.Client = r.Author.Client[:min(255, len(r.Author.Client))] }), []string{"Redactions/Authors"}},
	{"a transaction does not see its redaction", bend(func(tx plain.Calls) plain.Calls { return &redactsLate{Calls: tx} }), []string{"Redactions/InTheTransaction"}},
	{"a list says nothing of redactions", bendVersions(func(_ string, all []store.Version) {
		for i := range all {
			all[i].Redacted = nil
		}
	}), []string{"Redactions/SavedIsRead", "Redactions/Load"}},
	{"a list says nothing of projects", bendVersions(func(_ string, all []store.Version) {
		for i := range all {
			all[i].Project = ""
		}
	}), []string{"Files/VersionsAscend", "Redactions/SavedIsRead", "Moves/VersionsGoAlong"}},
	{"receipts stay behind at a move", bendVersions(func(path string, all []store.Version) {
		for i := range all {
			if path == "b" {
				all[i].Redacted = nil
			}
		}
	}), []string{"Redactions/Moved"}},
	{"an empty version has a receipt", bend(func(tx plain.Calls) plain.Calls { return emptyRedacted{tx} }), []string{"Redactions/Empty"}},
	{"a version inherits the receipt of the one that it replaces", bend(func(tx plain.Calls) plain.Calls { return inheritsReceipt{tx} }), []string{"Redactions/Pruned"}},
	{"Load has no receipts", bend(func(tx plain.Calls) plain.Calls { return loadsNoReceipt{tx} }), []string{"Redactions/Load"}},
	{"receipts are shared", sharesReceipts, []string{"Redactions/ResultsAreOwn"}},
	{"a redaction outlives an error", updating(keepsOnError), []string{"Redactions/Undone"}},
	{"a version that is saved has no receipt", bend(func(tx plain.Calls) plain.Calls { return savesNoReceipt{tx} }), []string{"Redactions/Imported"}},
	{"Dump has no receipts", dumpRows(func(r *store.Row) bool {
		if r.Version != nil {
			r.Version.Redacted = nil
		}
		return true
	}), []string{"Dump/Everything"}},
}

type bentRedaction struct {
	plain.Calls
	with func(plain.Calls, store.VersionRedaction) error
}

func (tx bentRedaction) RedactVersion(c store.VersionRedaction) error { return tx.with(tx.Calls, c) }

func bendRedaction(with func(plain.Calls, store.VersionRedaction) error) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentRedaction{tx, with} })
}

func bendReceipt(with func(*store.Redaction)) func(store.Store) store.Store {
	return bendRedaction(func(tx plain.Calls, c store.VersionRedaction) error {
		with(&c.Redaction)
		return tx.RedactVersion(c)
	})
}

func redactsMore(tx plain.Calls, c store.VersionRedaction) error {
	err := tx.RedactVersion(c)
	if c.Number--; c.Number >= c.Head.Oldest() {
		c.Change = store.Change{}
		err = errors.Join(err, tx.RedactVersion(c))
	}
	return err
}

func redactsOtherCase(tx plain.Calls, c store.VersionRedaction) error {
	err := tx.RedactVersion(c)
	head, _, failed := tx.File("A")
	if c.Head.Path == "a" && head.Exists() {
		c.Head, c.Change = head, store.Change{}
		err = tx.RedactVersion(c)
	}
	return errors.Join(err, failed)
}

// redactsLate shows the versions as they were before the transaction's redaction.
type redactsLate struct {
	plain.Calls
	before []store.Version
}

func (tx *redactsLate) RedactVersion(c store.VersionRedaction) error {
	v, err := tx.Calls.Version(c.Head.Path, c.Number)
	tx.before = append(tx.before, v)
	return errors.Join(err, tx.Calls.RedactVersion(c))
}

func (tx *redactsLate) Version(path string, n int64) (store.Version, error) {
	for _, v := range tx.before {
		if v.Number == n {
			return v, nil
		}
	}
	return tx.Calls.Version(path, n)
}

type bentVersions struct {
	plain.Calls
	with func(path string, all []store.Version)
}

func bendVersions(with func(path string, all []store.Version)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentVersions{tx, with} })
}

func (tx bentVersions) Versions(path string) ([]store.Version, error) {
	all, err := tx.Calls.Versions(path)
	tx.with(path, all)
	return all, err
}

func (tx bentVersions) Version(path string, n int64) (store.Version, error) {
	v, err := tx.Calls.Version(path, n)
	all := []store.Version{v}
	tx.with(path, all)
	return all[0], err
}

type emptyRedacted struct{ plain.Calls }

func (tx emptyRedacted) Version(path string, n int64) (store.Version, error) {
	v, err := tx.Calls.Version(path, n)
	if err == nil && v.Size == 0 && v.Redacted == nil {
		v = redacted(v, receipt(0))
	}
	return v, err
}

type inheritsReceipt struct{ plain.Calls }

func (tx inheritsReceipt) SaveFile(c store.FileChange) error {
	all, err := tx.Versions(c.Head.Path)
	if c.New != nil && c.Pruned == 1 && len(all) > 0 && all[0].Redacted != nil {
		v := redacted(*c.New, *all[0].Redacted)
		c.New = &v
	}
	return errors.Join(err, tx.Calls.SaveFile(c))
}

type loadsNoReceipt struct{ plain.Calls }

func (tx loadsNoReceipt) Load(q store.Query) (store.Loaded, error) {
	l, err := plain.Join(tx.Calls).Load(q)
	l.Version.Redacted, l.Old.Redacted = nil, nil
	return l, err
}

func sharesReceipts(s store.Store) store.Store {
	var kept *store.Redaction
	share := func(_ string, all []store.Version) {
		i := slices.IndexFunc(all, func(v store.Version) bool { return v.Redacted != nil })
		if i < 0 {
			return
		}
		if kept == nil {
			kept = all[i].Redacted
		}
		all[i].Redacted = kept
	}
	return bendVersions(share)(s)
}

type savesNoReceipt struct{ plain.Calls }

func (tx savesNoReceipt) SaveFile(c store.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Redacted, c.New = nil, &v
	}
	return tx.Calls.SaveFile(c)
}
