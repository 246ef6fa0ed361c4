package storetest

import (
	"errors"
	"math"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A currentQuery has the arguments of CurrentFiles.
type currentQuery struct {
	prefix, after string
	limit         int
	maxBytes      int64
}

func (q currentQuery) of(r workspace.Reader) ([]workspace.CurrentFile, bool, error) {
	return r.CurrentFiles(q.prefix, q.after, q.limit, q.maxBytes)
}

// A bentCurrents takes the place of CurrentFiles.
type bentCurrents struct {
	workspace.Tx
	with func(workspace.Reader, currentQuery) ([]workspace.CurrentFile, bool, error)
}

func (tx bentCurrents) CurrentFiles(prefix, after string, limit int, maxBytes int64) ([]workspace.CurrentFile, bool, error) {
	return tx.with(tx.Tx, currentQuery{prefix, after, limit, maxBytes})
}

func currentsOf(with func(workspace.Reader, currentQuery) ([]workspace.CurrentFile, bool, error)) func(workspace.Store) workspace.Store {
	return bend(func(tx workspace.Tx) workspace.Tx { return bentCurrents{tx, with} })
}

func deletedCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	files, more, err := q.of(r)
	for i, f := range files {
		if h, _, _ := r.File(f.Path + "-"); h.Deleted {
			return slices.Insert(files, i+1, workspace.CurrentFile{FileHead: h}), more, err
		}
	}
	return files, more, err
}

func oldestCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	files, more, err := q.of(r)
	for i, f := range files {
		files[i].Current, _ = r.Version(f.Path, f.Oldest())
	}
	return files, more, err
}

// missingCurrents ends before a version that is missing.
func missingCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	files, more, err := q.of(r)
	if errors.Is(err, workspace.ErrCorrupt) && q.limit > 1 {
		q.limit--
		return missingCurrents(r, q)
	}
	return files, more, nil
}

func anyCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	q.prefix = ""
	return q.of(r)
}

func oneMoreCurrent(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	q.limit++
	return q.of(r)
}

func lateCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	q.maxBytes++
	return q.of(r)
}

// smallCurrents leaves out a first file that is too large, and says that there are more.
func smallCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	files, more, err := q.of(r)
	if len(files) > 0 && files[0].Size() > q.maxBytes {
		return nil, true, err
	}
	return files, more, err
}

func lastCurrents(r workspace.Reader, q currentQuery) ([]workspace.CurrentFile, bool, error) {
	files, more, err := q.of(r)
	return files, more && q.maxBytes == math.MaxInt64, err
}
