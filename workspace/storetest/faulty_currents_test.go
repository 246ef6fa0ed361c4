package storetest

import (
	"errors"
	"math"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

// A currentQuery has the arguments of CurrentFiles.
type currentQuery struct {
	prefix, after string
	limit         int
	maxBytes      int64
}

func (q currentQuery) of(r plain.Reads) ([]store.File, bool, error) {
	return r.CurrentFiles(q.prefix, q.after, q.limit, q.maxBytes)
}

// A bentCurrents takes the place of CurrentFiles.
type bentCurrents struct {
	plain.Calls
	with func(plain.Reads, currentQuery) ([]store.File, bool, error)
}

func (tx bentCurrents) CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]store.File, bool, error) {
	return tx.with(tx.Calls, currentQuery{prefix, after, limit, maxBytes})
}

func currentsOf(with func(plain.Reads, currentQuery) ([]store.File, bool, error)) func(store.Store) store.Store {
	return bend(func(tx plain.Calls) plain.Calls { return bentCurrents{tx, with} })
}

func deletedCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	files, more, err := q.of(r)
	for i, f := range files {
		if h, _, _ := r.File(f.Path + "-"); h.Deleted {
			return slices.Insert(files, i+1, store.File{FileHead: h}), more, err
		}
	}
	return files, more, err
}

func oldestCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	files, more, err := q.of(r)
	for i, f := range files {
		files[i].Current, _ = r.Version(f.Path, f.Oldest())
	}
	return files, more, err
}

// missingCurrents ends before a version that is missing.
func missingCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	files, more, err := q.of(r)
	if errors.Is(err, store.ErrCorrupt) && q.limit > 1 {
		q.limit--
		return missingCurrents(r, q)
	}
	return files, more, nil
}

func anyCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	q.prefix = ""
	return q.of(r)
}

func oneMoreCurrent(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	q.limit++
	return q.of(r)
}

func lateCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	q.maxBytes++
	return q.of(r)
}

// smallCurrents leaves out a first file that is too large, and says that there are more.
func smallCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	files, more, err := q.of(r)
	if len(files) > 0 && files[0].Size() > q.maxBytes {
		return nil, true, err
	}
	return files, more, err
}

func lastCurrents(r plain.Reads, q currentQuery) ([]store.File, bool, error) {
	files, more, err := q.of(r)
	return files, more && q.maxBytes == math.MaxInt64, err
}
