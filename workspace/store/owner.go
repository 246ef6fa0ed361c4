package store

import (
	"crypto/sha256"
	"strings"
	"time"
)

// An Owner names the agent whose data a transaction sees.
type Owner struct {
	Tenant string // "local" on the command line
	Agent  string
}

// String returns "tenant/agent", which is the first column of every table.
func (o Owner) String() string { return o.Tenant + "/" + o.Agent }

// ParseOwner returns the Owner whose String is name. The name of an agent contains no slash.
// Errors: [ErrCorrupt] if name contains no slash.
func ParseOwner(name string) (Owner, error) {
	slash := strings.LastIndexByte(name, '/')
	if slash < 0 {
		return Owner{}, Errorf(ErrCorrupt, "the stored name %q of an owner has no tenant", name)
	}
	return Owner{Tenant: name[:slash], Agent: name[slash+1:]}, nil
}

// Usage counts the files, logs and entries of an agent. Bytes is the sum of the content of all
// retained versions, entries and summaries.
type Usage struct {
	Files, Logs, Entries, Bytes int64
	Operations                  int64 // number of calls that succeeded, reads included
	DeletedBytes                int64 `json:",omitzero"` // of the retained versions of deleted files; part of Bytes
}

// OwnerState is the state of an owner, in one row. It has the owner's usage, and the numbers
// that keep a version, an entry or a revision from being numbered twice.
type OwnerState struct {
	Usage
	FileFloor, LogFloor       int64     // numbers at a new path start above FileFloor or LogFloor
	DeletedFiles, DeletedLogs int64     // number of deleted paths whose heads are kept, Restorable included
	Requests                  int64     // number of requests that are kept under their idempotency keys
	Versions                  int64     // number of retained versions of all files
	Revision                  int64     // revision of the last change; 0: there was none
	Changes                   int64     // number of rows in the journal, which are the last ones up to Revision
	Updated                   time.Time // time of the last write; zero: not known

	Restorable int64     `json:",omitzero"` // number of deleted files that retain versions
	NextExpiry time.Time `json:",omitzero"` // the first FileHead.Expires of them; zero: there are none
}

// The charges for a row in bytes. A charge is about the space that the row takes on disk beside
// its content. In SQLite, with paths of 24 characters, an entry takes 130 bytes, a version 180,
// and a file or log 75. With longer paths, each takes more. Summaries have no charge, nor have
// deleted paths, of which at most 20,000 are kept.
const (
	PathCharge    = 100 // for a file or a log
	VersionCharge = 250
	EntryCharge   = 200
	RequestCharge = 200 // for a request that is kept under its idempotency key
)

// Charge returns the bytes that the owner's rows count against an agent's limit of bytes, in
// addition to the bytes of their content.
func (s OwnerState) Charge() int64 {
	return (s.Files+s.Logs)*PathCharge + s.Versions*VersionCharge + s.Entries*EntryCharge + s.Requests*RequestCharge
}

// IsDeleted reports whether the owner was deleted: the state has only the numbers that the
// owner had reached. The zero OwnerState is not deleted.
func (s OwnerState) IsDeleted() bool {
	return s != OwnerState{} && s == OwnerState{FileFloor: s.FileFloor, LogFloor: s.LogFloor, Revision: s.Revision,
		Updated: s.Updated}
}

// OwnerUsage is an owner in an [OwnerList].
type OwnerUsage struct {
	Owner   Owner
	Usage   Usage     // set only in a list of UsedOwners
	Updated time.Time // time of the last write, in a list of UsedOwners; zero: not known
}

// An OwnersQuery selects owners. A Query with only a Tenant and a Limit lists the owners of the
// tenant that hold anything, by name.
type OwnersQuery struct {
	Which  Owners
	Tenant string      // "" with AllOwners
	Prefix string      // the beginning of the names, with UsedOwners; "": any
	Part   string      // a part of the names in upper or lower case, with UsedOwners; "": any
	Order  OwnersOrder // with UsedOwners; ties are in byte order of name
	After  *OwnerUsage // the last owner of the page before; nil: from the first
	Limit  int         // owners at most; above 0, except with OwnerTotals

	// With DeletedOwners, UpdatedBefore and UpdatedAfter select the owners whose last write was
	// before UpdatedBefore or after UpdatedAfter.
	UpdatedBefore, UpdatedAfter time.Time
}

// SQL returns the end of the SQL statement that lists owners of a tenant, from WHERE on. holds
// is an SQL expression that is true for owners that hold anything. SQL calls arg with each
// argument of the statement, a string, an int64 or a [time.Time], and arg returns the
// placeholder for the argument.
func (q OwnersQuery) SQL(holds string, arg func(v any) string) string {
	tenant := q.Tenant + "/"
	where := " WHERE owner >= " + arg(tenant+q.Prefix) + " AND owner < " + arg(AfterName(tenant+q.Prefix)) + " AND "
	if q.Which == DeletedOwners {
		where += "NOT " + holds + " AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 " +
			"AND changes = 0 AND (updated < " + arg(q.UpdatedBefore) + " OR updated > " + arg(q.UpdatedAfter) + ")"
	} else {
		where += holds
	}
	if q.Part != "" { // names are ASCII, and so is lower
		plain := strings.NewReplacer("%", `\%`, "_", `\_`, `\`, `\\`).Replace
		where += " AND lower(owner) LIKE " +
			"" + arg(plain(strings.ToLower(tenant))+"%"+plain(strings.ToLower(q.Part))+"%") +
			` ESCAPE '\'`
	}
	column := map[OwnersOrder]string{ByUpdated: "updated", ByBytes: "bytes"}[q.Order]
	order := "owner"
	if column != "" {
		order = column + " DESC, owner"
	}
	if q.After != nil {
		after := "owner > " + arg(tenant+q.After.Owner.Agent)
		var value any = q.After.Usage.Bytes
		if q.Order == ByUpdated {
			value = q.After.Updated
		}
		if column != "" {
			at := arg(value)
			after = "(" + column + " < " + at + " OR " + column + " = " + at + " AND " + after + ")"
		}
		where += " AND " + after
	}
	return where + " ORDER BY " + order + " LIMIT " + arg(int64(q.Limit))
}

// AfterName returns a text that sorts after all names of owners that begin with prefix, and
// before all later names. Names consist of ASCII letters, digits, "-", "_" and "/".
func AfterName(prefix string) string { return prefix + "\x7f" }

// Owners says which owners an [OwnersQuery] is for.
type Owners int

// The owners of a query.
const (
	UsedOwners    Owners = iota // owners of a tenant that hold anything
	DeletedOwners               // owners of a tenant that were deleted, see IsDeleted; in byte order of name
	AllOwners                   // owners of every tenant that have a row of any kind; in byte order of String
	OwnerTotals                 // no list, but the sums over the states of the tenant's UsedOwners
)

// OwnerList is the answer to an [OwnersQuery].
type OwnerList struct {
	Owners []OwnerUsage
	Totals Totals // set only for OwnerTotals
}

// An OwnersOrder is the order of a list of owners.
type OwnersOrder int

// The orders.
const (
	ByName    OwnersOrder = iota // in byte order
	ByUpdated                    // the newest OwnerUsage.Updated first
	ByBytes                      // the largest Usage.Bytes first
)

// Totals are sums over the agents of a tenant.
type Totals struct {
	Agents                                          int64 // number of agents that hold anything
	Files, Logs, Entries, Versions, Requests, Bytes int64
}

// Add counts one more agent, and adds its numbers.
func (t *Totals) Add(s OwnerState) {
	t.Agents++
	t.Files += s.Files
	t.Logs += s.Logs
	t.Entries += s.Entries
	t.Versions += s.Versions
	t.Requests += s.Requests
	t.Bytes += s.Bytes
}

// Charged returns the bytes that count against the limit of bytes of all agents together: the
// bytes of the content, and the charge for the rows.
func (t Totals) Charged() int64 {
	s := OwnerState{Usage: Usage{Files: t.Files, Logs: t.Logs, Entries: t.Entries, Bytes: t.Bytes},
		Versions: t.Versions, Requests: t.Requests}
	return s.Bytes + s.Charge()
}

// A Request is a write with an idempotency key, and the result of the write.
type Request struct {
	Key     string
	Hash    [sha256.Size]byte // of the operation and all its arguments
	Time    time.Time
	Outcome Outcome
}

// Outcome has the numbers from which a repeated request gets its result.
type Outcome struct {
	Number int64 // the new version, or the last entry
	Count  int64 // number of replacements, of entries, or of removed versions
	Bytes  int64
}
