package store

import (
	"crypto/sha256"
	"strings"
	"time"
)

// An Owner is the agent whose data a transaction sees.
type Owner struct {
	Tenant string // "local" on the command line
	Agent  string
}

// String returns "tenant/agent", as it stands in the first column of every table.
func (o Owner) String() string { return o.Tenant + "/" + o.Agent }

// ParseOwner reads what String has returned. No agent's name has a slash. Errors:
// [ErrCorrupt].
func ParseOwner(name string) (Owner, error) {
	slash := strings.LastIndexByte(name, '/')
	if slash < 0 {
		return Owner{}, Errorf(ErrCorrupt, "the stored name %q of an owner has no tenant", name)
	}
	return Owner{Tenant: name[:slash], Agent: name[slash+1:]}, nil
}

// Usage counts what an agent has. Bytes are those of all retained versions, entries and
// summaries.
type Usage struct {
	Files, Logs, Entries, Bytes int64
	Operations                  int64 // calls that succeeded, reads included
}

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

// The charge for a row in bytes: about what the row takes on disk beside its content. In
// SQLite, with paths of 24 characters, an entry takes 130, a version 180, and a file or
// log 75 more than its content; with longer paths, each takes more. Summaries are not
// charged, nor are deleted paths, of which at most 20,000 are kept.
const (
	PathCharge    = 100 // a file or a log
	VersionCharge = 250
	EntryCharge   = 200
	RequestCharge = 200 // a request kept under its idempotency key
)

// Charge returns the bytes that the owner's rows count against an agent's limit of bytes,
// in addition to those of their content.
func (s OwnerState) Charge() int64 {
	return (s.Files+s.Logs)*PathCharge + s.Versions*VersionCharge + s.Entries*EntryCharge + s.Requests*RequestCharge
}

// IsDeleted reports whether nothing is left of an owner but the numbers that it had
// reached.
func (s OwnerState) IsDeleted() bool {
	return s != OwnerState{} && s == OwnerState{FileFloor: s.FileFloor, LogFloor: s.LogFloor, Revision: s.Revision,
		Updated: s.Updated}
}

// OwnerUsage is an owner in a list.
type OwnerUsage struct {
	Owner   Owner
	Usage   Usage     // only in a list of UsedOwners
	Updated time.Time // of the last write; zero: not known, or not a list of UsedOwners
}

// An OwnersQuery selects owners. The zero value, with a Tenant and a Limit, lists those of
// the tenant that hold anything, by name.
type OwnersQuery struct {
	Which  Owners
	Tenant string      // "" with AllOwners
	Prefix string      // how the names of UsedOwners begin; "": any
	Part   string      // what stands somewhere in the names of UsedOwners, in upper or lower case; "": any
	Order  OwnersOrder // of UsedOwners; ties are in byte order of name
	After  *OwnerUsage // the last one of the page before; nil: from the first
	Limit  int         // above 0; not with OwnerTotals

	// UpdatedBefore and UpdatedAfter select of DeletedOwners those whose last write was before the
	// one or after the other.
	UpdatedBefore, UpdatedAfter time.Time
}

// SQL returns the end of the statement that lists owners of a tenant, from WHERE on. holds is
// true of those that hold anything. arg returns what stands for an argument: a string, an
// int64 or a [time.Time].
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

// AfterName returns a text that sorts after the names of owners that begin with a prefix, and
// before all later ones. Names are of letters, digits, "-", "_" and "/".
func AfterName(prefix string) string { return prefix + "\x7f" }

// Owners says which owners an [OwnersQuery] is for.
type Owners int

// The owners of a query.
const (
	UsedOwners    Owners = iota // of a tenant, that hold anything
	DeletedOwners               // of a tenant, that have only the numbers that they had reached; in byte order of name
	AllOwners                   // of every tenant, that have a row of any kind; in byte order of their String
	OwnerTotals                 // the sums over a tenant's UsedOwners, from their states alone, in place of a list
)

// OwnerList is the answer to an [OwnersQuery].
type OwnerList struct {
	Owners []OwnerUsage
	Totals Totals // of OwnerTotals alone
}

// An OwnersOrder is the order of a list of owners.
type OwnersOrder int

// The orders.
const (
	ByName    OwnersOrder = iota // in byte order
	ByUpdated                    // the last written first
	ByBytes                      // the largest Usage.Bytes first
)

// Totals are sums over the agents of a tenant.
type Totals struct {
	Agents                                          int64 // that hold anything
	Files, Logs, Entries, Versions, Requests, Bytes int64
}

// Add adds what an owner has.
func (t *Totals) Add(s OwnerState) {
	t.Agents++
	t.Files += s.Files
	t.Logs += s.Logs
	t.Entries += s.Entries
	t.Versions += s.Versions
	t.Requests += s.Requests
	t.Bytes += s.Bytes
}

// Charged returns the bytes that count against the limits of bytes: those of the
// content, and the charge for its rows.
func (t Totals) Charged() int64 {
	s := OwnerState{Usage: Usage{Files: t.Files, Logs: t.Logs, Entries: t.Entries, Bytes: t.Bytes},
		Versions: t.Versions, Requests: t.Requests}
	return s.Bytes + s.Charge()
}

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
