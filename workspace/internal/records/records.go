// Package records has small values that all processes share.
package records

import (
	"context"
	"errors"
)

// Records are the records of an installation. Each has a revision above 0 that every
// Put changes.
type Records interface {
	// Get returns a record, the zero Record if there is none.
	Get(key string) (Record, error)

	// Put stores a value if the record is still at the revision; 0 means that there
	// must be none. It returns the new revision, or ok false if the record has moved on.
	Put(key string, value []byte, revision int64) (next int64, ok bool, err error)

	// Delete removes a record if it is still at the revision, and reports whether it did.
	Delete(key string, revision int64) (ok bool, err error)

	// List returns the records whose keys begin with a prefix, in byte order of key.
	List(prefix string) ([]Record, error)
}

// A Record is a value under a key.
type Record struct {
	Key      string
	Value    []byte
	Revision int64
}

// A System gives access to the records. The context holds for the calls on the result.
type System func(context.Context) Records

// ErrBusy says that other processes kept changing a record.
var ErrBusy = errors.New("others keep changing the record")

// updateTries is how often Update tries. Each time, one of those who change the same
// record at once succeeds.
const updateTries = 1000

// Update changes a record to what change returns for its present state, the zero Record
// if there is none. It calls change again if another process has changed the record
// meanwhile. A nil value leaves the record as it is. created reports whether Update has
// made the record. Errors: those of change and of the records, and [ErrBusy].
func Update(r Records, key string, change func(Record) (value []byte, err error)) (created bool, err error) {
	for range updateTries {
		old, err := r.Get(key)
		if err != nil {
			return false, err
		}
		value, err := change(old)
		if err != nil || value == nil {
			return false, err
		}
		_, ok, err := r.Put(key, value, old.Revision)
		if err != nil {
			return false, err
		}
		if ok {
			return old.Revision == 0, nil
		}
	}
	return false, ErrBusy
}

// DeleteIf removes the records below a prefix that match. A record that is changed at
// the same time stays.
func DeleteIf(r Records, prefix string, match func(Record) bool) error {
	list, err := r.List(prefix)
	for _, found := range list {
		if match(found) {
			_, e := r.Delete(found.Key, found.Revision)
			err = errors.Join(err, e)
		}
	}
	return err
}
