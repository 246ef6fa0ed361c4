package store

import (
	"fmt"
	"time"
)

// Records are small values under keys. Each record has a revision, which is a number above 0.
// Every Put gives the record a new revision. No record ever gets the same revision again, not
// even after a Delete.
type Records interface {
	// Get returns a record. If there is none, the error is [ErrNotFound].
	Get(key string) (Record, error)

	// Put stores a value if the record is still at the revision, and returns the new
	// revision. A revision of 0 means that there must be no record. If the record is at
	// another revision, the error is [ErrConflict].
	Put(key string, value []byte, revision int64) (int64, error)

	// Delete removes a record that is still at the revision. If the record is at another
	// revision, the error is [ErrConflict]. If there is none, the error is [ErrNotFound].
	Delete(key string, revision int64) error

	// Restore stores a record with the revision and the time that another store gave the
	// record. Restore is for copies of a whole database. The error is [ErrConflict] if there
	// is a record under the key, and [ErrInvalid] for a revision that is not above 0.
	Restore(Record) error

	// List returns the records whose keys begin with prefix, in byte order of key, from the
	// first key after after. It returns at most limit records. limit is above 0.
	List(prefix, after string, limit int) ([]Record, error)

	// Now returns the time of the store's clock, in UTC and to the microsecond. All processes
	// share that clock. Record.Updated is a time of that clock. The clock goes back only if
	// somebody sets back the clock of the store's machine.
	Now() (time.Time, error)
}

// Record is one of the [Records] of a database.
type Record struct {
	Key      string
	Value    []byte
	Revision int64
	Updated  time.Time // time of the Put that stored Value
}

// RecordColumns are the columns of the table in which an SQL backend keeps records.
const RecordColumns = "key, value, revision, updated"

// Fields returns pointers to the fields of the record, in the order of [RecordColumns].
func (r *Record) Fields() []any { return []any{&r.Key, &r.Value, &r.Revision, &r.Updated} }

// MissingRecord returns the [ErrNotFound] for a key without a record.
func MissingRecord(key string) error {
	return &Error{Op: fmt.Sprintf("record %q", key), Kind: ErrNotFound}
}

// ChangedRecord returns the [ErrConflict] for a record that is at another revision.
func ChangedRecord(key string) error {
	return Errorf(ErrConflict, "record %q is not at the revision given", key)
}
