package store

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
)

// A Table says how an SQL backend keeps the rows of one kind. The first column is the owner. If
// OfPath is set, the second column is the path. Then come Columns. If Content is set, the last
// column is the content.
type Table struct {
	Name    string
	Columns string // in the order of the fields that [Row.Table] returns
	Key     string // the columns that are the key together with the owner and the path; a dump has their order
	Later   int    // how many of the last columns older schemas did not have: they were zero
	OfPath  bool
	Content bool
	noun    string
}

// The tables with the data of owners.
var (
	OwnerTable = &Table{Name: "owners", noun: "usage of",
		Columns: "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, " +
			"deleted_logs, requests, revision, changes, updated, deleted_bytes, restorable, next_expiry", Later: 3}
	ChangeTable = &Table{Name: "changes", noun: "change of", Key: "revision",
		Columns: "revision, op, kind, path, from_path, before, after, entries, client, client_version, key_id, " +
			"session, created"}
	FileTable = &Table{Name: "files", noun: "head of file", Key: "path",
		Columns: "path, version, sizes, summary_bytes, deleted, created, updated, expires, past", Later: 2}
	VersionTable = &Table{Name: "versions", noun: "version of", Key: "version", OfPath: true, Content: true,
		Columns: "version, size, sha256, client, client_version, key_id, created, project", Later: 1}
	SummaryTable = &Table{Name: "summaries", noun: "summary of", Key: "version, method, model, prompt", OfPath: true,
		Content: true, Columns: "version, method, model, prompt, sha256, tokens, created"}
	LogTable = &Table{Name: "logs", noun: "head of log", Key: "path",
		Columns: "path, first, last, bytes, deleted, created, updated"}
	EntryTable = &Table{Name: "entries", noun: "entry of", Key: "entry", OfPath: true, Content: true,
		Columns: "entry, sha256, client, client_version, key_id, created"}
	RequestTable = &Table{Name: "requests", noun: "request", Key: "key",
		Columns: "key, hash, created, number, count, bytes"}
)

// Tables are all tables, in the order of a dump. Tables that share paths are in one slice.
var Tables = [][]*Table{{OwnerTable}, {ChangeTable}, {FileTable, VersionTable, SummaryTable}, {LogTable, EntryTable},
	{RequestTable}}

// Table returns the table of the row, and pointers to the fields of the row in the order of the
// table's Columns. The fields have the types int64, string, bool, [time.Time], []int64 and
// [sha256.Size]byte, or are [Packed].
func (r Row) Table() (t *Table, fields []any) {
	switch {
	case r.State != nil:
		s := r.State
		return OwnerTable, []any{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations, &s.FileFloor,
			&s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Revision, &s.Changes, &s.Updated,
			&s.DeletedBytes, &s.Restorable, &s.NextExpiry}
	case r.Change != nil:
		c := r.Change
		return ChangeTable, []any{&c.Revision, (*string)(&c.Op), (*string)(&c.Kind), &c.Path, &c.From, &c.Before,
			&c.After, &c.Entries, &c.Author.Client, &c.Author.Version, &c.Author.Key, &c.Author.Session, &c.Time}
	case r.File != nil:
		h := r.File
		return FileTable, []any{&h.Path, &h.Version, &h.Sizes, &h.Summary, &h.Deleted, &h.Created, &h.Updated,
			&h.Expires, (*past)(h)}
	case r.Version != nil:
		v := r.Version
		return VersionTable, []any{&v.Number, &v.Size, &v.SHA256, &v.Author.Client, &v.Author.Version, &v.Author.Key,
			&v.Time, &v.Project}
	case r.Summary != nil:
		s := r.Summary
		return SummaryTable, []any{&s.Version, &s.Method, &s.Model, &s.Prompt, &s.SHA256, &s.Tokens, &s.Time}
	case r.Log != nil:
		h := r.Log
		return LogTable, []any{&h.Path, &h.First, &h.Last, &h.Bytes, &h.Deleted, &h.Created, &h.Updated}
	case r.Entry != nil:
		e := r.Entry
		return EntryTable, []any{&e.ID, &e.SHA256, &e.Author.Client, &e.Author.Version, &e.Author.Key, &e.Time}
	}
	q := r.Request
	return RequestTable, []any{&q.Key, &q.Hash, &q.Time, &q.Outcome.Number, &q.Outcome.Count, &q.Outcome.Bytes}
}

// New returns a row of the table. All its fields are zero except the path.
func (t *Table) New(path string) Row {
	switch t {
	case OwnerTable:
		return Row{State: new(OwnerState)}
	case ChangeTable:
		return Row{Change: new(Change)}
	case FileTable:
		return Row{File: &FileHead{Path: path}}
	case VersionTable:
		return Row{Version: new(Version), Path: path}
	case SummaryTable:
		return Row{Summary: new(Summary), Path: path}
	case LogTable:
		return Row{Log: &LogHead{Path: path}}
	case EntryTable:
		return Row{Entry: new(Entry), Path: path}
	}
	return Row{Request: new(Request)}
}

// Content returns the content of the row, or nil if the table has no content. For a redacted
// version or entry, Content returns the encoded receipt.
func (r Row) Content() []byte {
	switch {
	case r.Version != nil && r.Version.Redacted != nil:
		return r.Version.Redacted.pack()
	case r.Version != nil:
		return r.Version.Content
	case r.Summary != nil:
		return r.Summary.Content
	case r.Entry != nil && r.Entry.Redacted != nil:
		return r.Entry.Redacted.pack()
	case r.Entry != nil:
		return r.Entry.Content
	}
	return nil
}

// SetContent sets the content of a row of a table with Content. A store reads the other fields
// of the row first. If the row is a redacted version or entry, SetContent decodes b as the
// receipt, and returns false if b is not a receipt. Else it keeps b and returns true.
func (r Row) SetContent(b []byte) bool {
	switch v, e := r.Version, r.Entry; {
	case v != nil && v.SHA256 == [sha256.Size]byte{}: // which no content has
		v.Redacted = new(Redaction)
		return v.Redacted.unpack(b) && v.Size == 0
	case v != nil:
		v.Content = b
	case r.Summary != nil:
		r.Summary.Content = b
	case e.SHA256 == [sha256.Size]byte{}:
		e.Redacted = new(Redaction)
		return e.Redacted.unpack(b)
	default:
		e.Content = b
	}
	return true
}

// Name returns the name of the row in errors. owner is the String of the row's owner.
func (r Row) Name(owner string) string {
	t, fields := r.Table()
	switch first := fields[0].(type) {
	case *string:
		return t.noun + " " + *first
	case *int64:
		if t.Key != "" {
			return fmt.Sprintf("%s %s, %d,", t.noun, cmp.Or(r.Path, owner), *first)
		}
	}
	return t.noun + " " + owner
}

// DumpTables calls rows for each table, in the order of [Store.Dump]. For tables that share
// paths, it calls paths. paths calls fn with each path of any of these tables, in byte order, and
// DumpTables calls rows for each of the tables with that path. For all other tables, path is "".
// The first error ends DumpTables, which returns it.
func DumpTables(paths func(in []*Table, fn func(path string) error) error,
	rows func(t *Table, path string) error) error {
	for _, part := range Tables {
		read := func(path string) error {
			for _, t := range part {
				if err := rows(t, path); err != nil {
					return err
				}
			}
			return nil
		}
		var err error
		if len(part) == 1 {
			err = read("")
		} else {
			err = paths(part, read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Of returns a list of columns with the name of a table and a dot before each column.
func Of(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}
