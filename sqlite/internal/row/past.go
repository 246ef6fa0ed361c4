package row

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// The columns of owners in past schemas.
const (
	OwnerColumns1 = "files, logs, entries, bytes, operations, file_floor, log_floor, deleted_files, deleted_logs, " +
		"requests, crc"
	OwnerColumns2 = "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, " +
		"deleted_logs, requests, updated, crc"
)

// OwnerValues2 returns a row of schema 2.
func OwnerValues2(owner string, s store.OwnerState) []any {
	v := []any{owner, s.Files, s.Logs, s.Entries, s.Versions, s.Bytes, s.Operations,
		s.FileFloor, s.LogFloor, s.DeletedFiles, s.DeletedLogs, s.Requests, Micros(s.Updated)}
	return append(v, Sum(v...))
}

// Owner2 reads a row of schema 2.
func (f *Fields) Owner2(owner string) (s store.OwnerState) {
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests} {
		*n = f.Int()
	}
	s.Updated = f.Time()
	v := OwnerValues2(owner, s)
	f.Check(v[:len(v)-1]...)
	return s
}

// Owner1 reads a row of schema 1. There, bytes included 200 for each request, and versions
// were not counted.
func (f *Fields) Owner1(owner string) (s store.OwnerState) {
	v := []any{owner}
	for _, n := range []*int64{&s.Files, &s.Logs, &s.Entries, &s.Bytes, &s.Operations,
		&s.FileFloor, &s.LogFloor, &s.DeletedFiles, &s.DeletedLogs, &s.Requests} {
		*n = f.Int()
		v = append(v, *n)
	}
	f.Check(v...)
	s.Bytes = max(0, s.Bytes-200*s.Requests)
	s.Versions = f.Int()
	return s
}
