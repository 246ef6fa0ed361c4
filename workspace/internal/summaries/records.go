package summaries

import "context"

// Records are small values that all processes share. Each has a revision above 0
// that every Put changes.
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
