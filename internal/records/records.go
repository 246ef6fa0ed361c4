// Package records reads and changes [store.Records], which all processes of an installation
// share. A change that another process has overtaken is made again.
package records

import (
	"errors"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Get returns a record. Its revision is 0 if there is none.
func Get(r store.Records, key string) (store.Record, error) {
	found, err := r.Get(key)
	if errors.Is(err, store.ErrNotFound) {
		return store.Record{Key: key}, nil
	}
	return found, err
}

// updateTries is how often Update tries. Each time, one of those who change the same
// record at once succeeds.
const updateTries = 1000

// Update changes a record to what change returns for its present state, whose revision is 0
// if there is no record. Update calls change again if another process has changed the record
// meanwhile. A nil value leaves the record as it is. created reports whether Update has
// made the record. Errors: those of change and of the records, and [store.ErrBusy].
func Update(
	r store.Records, key string, change func(store.Record) (value []byte, err error),
) (created bool, err error) {
	for range updateTries {
		old, err := Get(r, key)
		if err != nil {
			return false, err
		}
		value, err := change(old)
		if err != nil || value == nil {
			return false, err
		}
		_, err = r.Put(key, value, old.Revision)
		if !errors.Is(err, store.ErrConflict) {
			return err == nil && old.Revision == 0, err
		}
	}
	return false, Busy()
}

// Busy returns the error of a change that others have overtaken too often.
func Busy() error {
	return store.Errorf(store.ErrBusy, "others keep changing the record; try again")
}

// Delete removes a record that was read, and reports whether it did. A record that has
// changed meanwhile stays.
func Delete(r store.Records, old store.Record) (deleted bool, err error) {
	err = r.Delete(old.Key, old.Revision)
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// DeleteAll removes the records whose keys begin with a prefix.
func DeleteAll(r store.Records, prefix string) error {
	for found, err := range All(r, prefix, "") {
		if err == nil {
			_, err = Delete(r, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const page = 100 // records that All reads at once

// All yields the records whose keys begin with a prefix, in byte order of key, from the
// first one after a key. All ends after an error.
func All(r store.Records, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for {
			found, err := r.List(prefix, after, page)
			if err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, one := range found {
				if !yield(one, nil) {
					return
				}
				after = one.Key
			}
			if len(found) < page {
				return
			}
		}
	}
}
