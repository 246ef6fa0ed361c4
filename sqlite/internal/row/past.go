package row

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// The form of owners in schema 1. There, bytes included 200 for each request, and versions
// were not counted.
var ownerForm1 = withQueries(OwnerForm{
	Table: "(SELECT owner, files, logs, entries, bytes AS raw, operations, file_floor, log_floor, deleted_files, " +
		"deleted_logs, requests, crc, -1 << 63 AS updated, max(0, bytes - 200 * requests) AS bytes, " +
		"(SELECT count(*) FROM versions v WHERE v.owner = p.owner) AS versions FROM owners p)",
	Columns: "files, logs, entries, raw, operations, file_floor, log_floor, deleted_files, deleted_logs, requests, " +
		"crc, bytes, versions",
	fields: func(s *store.OwnerState) []any {
		return []any{&s.Files, &s.Logs, &s.Entries, &s.Bytes, &s.Operations, &s.FileFloor, &s.LogFloor,
			&s.DeletedFiles, &s.DeletedLogs, &s.Requests}
	},
	rest: func(s *store.OwnerState) []any { return []any{&s.Bytes, &s.Versions} },
})

// The form of owners in schema 2.
var ownerForm2 = withQueries(OwnerForm{
	Table: "owners",
	Columns: "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, " +
		"deleted_logs, requests, updated, crc",
	fields: func(s *store.OwnerState) []any {
		return []any{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations, &s.FileFloor, &s.LogFloor,
			&s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Updated}
	},
})

// The form of owners in schemas 3 and 4.
var ownerForm3 = withQueries(OwnerForm{
	Table: "owners",
	Columns: "files, logs, entries, versions, bytes, operations, file_floor, log_floor, deleted_files, " +
		"deleted_logs, requests, revision, changes, updated, crc",
	fields: func(s *store.OwnerState) []any {
		return []any{&s.Files, &s.Logs, &s.Entries, &s.Versions, &s.Bytes, &s.Operations, &s.FileFloor, &s.LogFloor,
			&s.DeletedFiles, &s.DeletedLogs, &s.Requests, &s.Revision, &s.Changes, &s.Updated}
	},
})
