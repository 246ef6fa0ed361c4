package workspace

import (
	"crypto/sha256"
	"time"
)

// An Owner is the agent whose data a transaction sees.
type Owner struct {
	Tenant string // "local" on the command line
	Agent  string
}

// String returns "tenant/agent", as it stands in the first column of every table.
func (o Owner) String() string { return o.Tenant + "/" + o.Agent }

// OwnerState is the one record of an owner. It has the owner's usage, and what keeps a
// number from being given twice.
type OwnerState struct {
	Usage
	FileFloor, LogFloor       int64     // the numbers of a new path start above it
	DeletedFiles, DeletedLogs int64     // deleted paths whose number is kept
	Requests                  int64     // that are kept under their idempotency keys
	Versions                  int64     // that are retained, of all files
	Revision                  int64     // of the last change; 0: there was none
	Changes                   int64     // rows that the journal keeps, the last ones up to Revision
	Updated                   time.Time // of the last write; zero: not known
}

// Charge returns the bytes that the owner's rows count against [Limits.Bytes], in
// addition to those of their content.
func (s OwnerState) Charge() int64 {
	return (s.Files+s.Logs)*PathBytes + s.Versions*VersionBytes + s.Entries*EntryBytes + s.Requests*RequestBytes
}

// IsDeleted reports whether nothing is left of an owner but the numbers that it had
// reached.
func (s OwnerState) IsDeleted() bool {
	return s != OwnerState{} && s == OwnerState{FileFloor: s.FileFloor, LogFloor: s.LogFloor, Revision: s.Revision, Updated: s.Updated}
}

// OwnerUsage is an owner in a list.
type OwnerUsage struct {
	Owner   Owner
	Usage   Usage
	Updated time.Time // of the last write; zero: not known
}

// An OwnersQuery selects and orders owners of a tenant. The zero value, with a Tenant and
// a Limit, lists all of them by name.
type OwnersQuery struct {
	Tenant string
	Prefix string      // how the agents' names begin; "": any
	Part   string      // what stands somewhere in their names, in upper or lower case; "": any
	Order  OwnersOrder // ties are in byte order of name
	After  *OwnerUsage // the last one of the page before; nil: from the first
	Limit  int         // above 0
}

// An OwnersOrder is the order of a list of owners.
type OwnersOrder int

// The orders.
const (
	ByName    OwnersOrder = iota // in byte order
	ByUpdated                    // the last written first
	ByBytes                      // the largest Usage.Bytes first
)

// A Request is a write that carried an idempotency key, and its result.
type Request struct {
	Key     string
	Hash    [sha256.Size]byte // of the operation and all its arguments
	Time    time.Time
	Outcome Outcome
}

// Outcome is what the result of a repeated request is built from.
type Outcome struct {
	Number int64 // the version, or the last entry
	Count  int64 // replacements, entries, or versions removed
	Bytes  int64
}
