package records

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Of returns the records of a store.
func Of(system store.Records) Records { return shared{system} }

// shared are [store.Records] in the terms of package records.
type shared struct{ system store.Records }

func (r shared) Get(key string) (Record, error) {
	found, err := r.system.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return Record{}, nil
	}
	return Record{Key: found.Key, Value: found.Value, Revision: found.Revision}, err
}

func (r shared) Put(key string, value []byte, revision int64) (next int64, ok bool, err error) {
	next, err = r.system.Put(key, value, revision)
	if errors.Is(err, store.ErrConflict) {
		return 0, false, nil
	}
	return next, err == nil, err
}

func (r shared) Delete(key string, revision int64) (ok bool, err error) {
	err = r.system.Delete(key, revision)
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// recordPage is how many records List reads at once.
const recordPage = 1000

func (r shared) List(prefix string) (list []Record, err error) {
	for after := ""; ; {
		found, err := r.system.List(prefix, after, recordPage)
		for _, f := range found {
			list = append(list, Record{Key: f.Key, Value: f.Value, Revision: f.Revision})
			after = f.Key
		}
		if err != nil || len(found) < recordPage {
			return list, err
		}
	}
}
