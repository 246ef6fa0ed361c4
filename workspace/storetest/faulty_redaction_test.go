package storetest

import (
	"errors"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var faultyRedactions = []faultyStore{
	{"a redaction keeps the content", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) error {
		return tx.SaveFile(workspace.FileChange{Head: c.Head, Forget: c.Forget, Change: c.Change, Owner: c.Owner})
	}), []string{"Redactions/SavedIsRead", "Redactions/InTheTransaction", "Model"}},
	{"a redaction reaches the version before too", bendRedaction(redactsMore), []string{"Redactions/SavedIsRead"}},
	{"a redaction reaches a path of another case too", bendRedaction(redactsOtherCase), []string{"Redactions/OthersStay"}},
	{"a redaction adds no row", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) error {
		c.Change = workspace.Change{}
		return tx.RedactVersion(c)
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction leaves the head as it was", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) (err error) {
		c.Head, _, err = tx.File(c.Head.Path)
		return errors.Join(err, tx.RedactVersion(c))
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction leaves the owner's state as it was", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) (err error) {
		c.Owner, err = tx.Owner()
		return errors.Join(err, tx.RedactVersion(c))
	}), []string{"Redactions/SavedIsRead"}},
	{"a redaction forgets no summary", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) error {
		c.Forget = false
		return tx.RedactVersion(c)
	}), []string{"Redactions/Summaries"}},
	{"a redaction forgets every summary", bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) error {
		c.Forget = true
		return tx.RedactVersion(c)
	}), []string{"Redactions/Summaries"}},
	{"receipts have times of seconds", bendReceipt(func(r *workspace.Redaction) { r.Time = r.Time.Truncate(time.Second) }), []string{"Redactions/Times"}},
	{"receipts end at NUL", bendReceipt(func(r *workspace.Redaction) { r.Author.Key = cutText(r.Author.Key) }), []string{"Redactions/Authors"}},
	{"receipts are cut at 255 bytes", bendReceipt(func(r *workspace.Redaction) { r.Author.Client = r.Author.Client[:min(255, len(r.Author.Client))] }), []string{"Redactions/Authors"}},
	{"a transaction does not see its redaction", bend(func(tx workspace.Tx) workspace.Tx { return &redactsLate{Tx: tx} }), []string{"Redactions/InTheTransaction"}},
	{"a list says nothing of redactions", bendVersions(func(_ string, all []workspace.Version) {
		for i := range all {
			all[i].Redacted = nil
		}
	}), []string{"Redactions/SavedIsRead", "Redactions/Load"}},
	{"receipts stay behind at a move", bendVersions(func(path string, all []workspace.Version) {
		for i := range all {
			if path == "b" {
				all[i].Redacted = nil
			}
		}
	}), []string{"Redactions/Moved"}},
	{"an empty version has a receipt", bend(func(tx workspace.Tx) workspace.Tx { return emptyRedacted{tx} }), []string{"Redactions/Empty"}},
	{"a version inherits the receipt of the one that it replaces", bend(func(tx workspace.Tx) workspace.Tx { return inheritsReceipt{tx} }), []string{"Redactions/Pruned"}},
	{"Load has no receipts", bend(func(tx workspace.Tx) workspace.Tx { return loadsNoReceipt{tx} }), []string{"Redactions/Load"}},
	{"receipts are shared", sharesReceipts, []string{"Redactions/ResultsAreOwn"}},
	{"a redaction outlives an error", updating(keepsOnError), []string{"Redactions/Undone"}},
	{"a version that is saved has no receipt", bend(func(tx workspace.Tx) workspace.Tx { return savesNoReceipt{tx} }), []string{"Redactions/Imported"}},
	{"Dump has no receipts", dumpRows(func(r *workspace.Row) bool {
		if r.Version != nil {
			r.Version.Redacted = nil
		}
		return true
	}), []string{"Dump/Everything"}},
}

type bentRedaction struct {
	workspace.Tx
	with func(workspace.Tx, workspace.VersionRedaction) error
}

func (tx bentRedaction) RedactVersion(c workspace.VersionRedaction) error { return tx.with(tx.Tx, c) }

func bendRedaction(with func(workspace.Tx, workspace.VersionRedaction) error) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentRedaction{tx, with} })
}

func bendReceipt(with func(*workspace.Redaction)) func(workspace.Store) workspace.Store {
	return bendRedaction(func(tx workspace.Tx, c workspace.VersionRedaction) error {
		with(&c.Redaction)
		return tx.RedactVersion(c)
	})
}

func redactsMore(tx workspace.Tx, c workspace.VersionRedaction) error {
	err := tx.RedactVersion(c)
	if c.Number--; c.Number >= c.Head.Oldest() {
		c.Change = workspace.Change{}
		err = errors.Join(err, tx.RedactVersion(c))
	}
	return err
}

func redactsOtherCase(tx workspace.Tx, c workspace.VersionRedaction) error {
	err := tx.RedactVersion(c)
	head, _, failed := tx.File("A")
	if c.Head.Path == "a" && head.Exists() {
		c.Head, c.Change = head, workspace.Change{}
		err = tx.RedactVersion(c)
	}
	return errors.Join(err, failed)
}

// redactsLate shows the versions as they were before the transaction's redaction.
type redactsLate struct {
	workspace.Tx
	before []workspace.Version
}

func (tx *redactsLate) RedactVersion(c workspace.VersionRedaction) error {
	v, err := tx.Tx.Version(c.Head.Path, c.Number)
	tx.before = append(tx.before, v)
	return errors.Join(err, tx.Tx.RedactVersion(c))
}

func (tx *redactsLate) Version(path string, n int64) (workspace.Version, error) {
	for _, v := range tx.before {
		if v.Number == n {
			return v, nil
		}
	}
	return tx.Tx.Version(path, n)
}

type bentVersions struct {
	workspace.Tx
	with func(path string, all []workspace.Version)
}

func bendVersions(with func(path string, all []workspace.Version)) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentVersions{tx, with} })
}

func (tx bentVersions) Versions(path string) ([]workspace.Version, error) {
	all, err := tx.Tx.Versions(path)
	tx.with(path, all)
	return all, err
}

func (tx bentVersions) Version(path string, n int64) (workspace.Version, error) {
	v, err := tx.Tx.Version(path, n)
	all := []workspace.Version{v}
	tx.with(path, all)
	return all[0], err
}

func (tx bentVersions) Load(q workspace.Query) (workspace.Loaded, error) {
	return workspace.LoadFrom(tx, q)
}

type emptyRedacted struct{ workspace.Tx }

func (tx emptyRedacted) Version(path string, n int64) (workspace.Version, error) {
	v, err := tx.Tx.Version(path, n)
	if err == nil && v.Size == 0 && v.Redacted == nil {
		v = redacted(v, receipt(0))
	}
	return v, err
}

type inheritsReceipt struct{ workspace.Tx }

func (tx inheritsReceipt) SaveFile(c workspace.FileChange) error {
	all, err := tx.Versions(c.Head.Path)
	if c.New != nil && c.Pruned == 1 && len(all) > 0 && all[0].Redacted != nil {
		v := redacted(*c.New, *all[0].Redacted)
		c.New = &v
	}
	return errors.Join(err, tx.Tx.SaveFile(c))
}

type loadsNoReceipt struct{ workspace.Tx }

func (tx loadsNoReceipt) Load(q workspace.Query) (workspace.Loaded, error) {
	l, err := tx.Tx.Load(q)
	l.Version.Redacted, l.Old.Redacted = nil, nil
	return l, err
}

func sharesReceipts(s workspace.Store) workspace.Store {
	var kept *workspace.Redaction
	share := func(_ string, all []workspace.Version) {
		i := slices.IndexFunc(all, func(v workspace.Version) bool { return v.Redacted != nil })
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

type savesNoReceipt struct{ workspace.Tx }

func (tx savesNoReceipt) SaveFile(c workspace.FileChange) error {
	if c.New != nil {
		v := *c.New
		v.Redacted, c.New = nil, &v
	}
	return tx.Tx.SaveFile(c)
}
