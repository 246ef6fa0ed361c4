package store

import (
	"fmt"
	"time"
)

// Records are small values under keys. Each has a revision, a number above 0 that every
// Put changes, and that no record ever has again, also after a Delete.
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
	// record. Restore is for copies of a whole installation. The error is [ErrConflict] if the key is there,
	// and [ErrInvalid] for a revision that is not above 0.
	Restore(Record) error

	// List returns the records whose keys begin with a prefix, in byte order of key, from
	// the first one after a key, at most limit of them. limit is above 0.
	List(prefix, after string, limit int) ([]Record, error)

	// Now returns the time of the store's clock, in UTC and to the microsecond. All
	// processes share that clock, and Record.Updated is its time. The clock goes back only
	// if somebody sets back the clock of the store's machine.
	Now() (time.Time, error)
}

// Record is one record of the installation.
type Record struct {
	Key      string
	Value    []byte
	Revision int64
	Updated  time.Time
}

// RecordColumns are the columns in which a backend that speaks SQL keeps a record.
const RecordColumns = "key, value, revision, updated"

// Fields returns pointers to the fields that RecordColumns hold.
func (r *Record) Fields() []any { return []any{&r.Key, &r.Value, &r.Revision, &r.Updated} }

// MissingRecord returns the [ErrNotFound] of a record.
func MissingRecord(key string) error {
	return &Error{Op: fmt.Sprintf("record %q", key), Kind: ErrNotFound}
}

// ChangedRecord returns the [ErrConflict] of a record.
func ChangedRecord(key string) error {
	return Errorf(ErrConflict, "record %q is not at the revision given", key)
}
