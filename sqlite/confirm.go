package sqlite

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/sqlite"
)

// confirm makes the data durable that the answers of a group rest on. If the group wrote
// pages, its commit has synced the whole log, with all earlier commits. If it wrote none,
// for example because it answered a repeated request, the log may still hold commits that
// no process has synced: those of a process that was killed before its sync, or of one
// with [Normal] durability. Then confirm syncs the log, once for all commits up to now.
//
// Reads do not do this. A View shows what is committed, but it acknowledges nothing, and a
// power cut may undo a commit that its writer has not synced.
func (w *writer) confirm() error {
	if w.durability != Full || w.c.takePagesWritten() > 0 {
		return nil
	}
	// The version from before the sync: the sync covers at least the commits up to it.
	version, err := w.c.number("PRAGMA data_version")
	if err != nil || w.synced && version == w.syncedVersion {
		return err
	}
	if err := w.c.files.SyncLog(); err != nil {
		e := &dbError{code: codeIOErrFsync, text: fmt.Sprintf("sync the write-ahead log: %v", err)}
		return e.withKind(workspace.ErrOutcomeUnknown)
	}
	w.synced, w.syncedVersion = true, version
	return nil
}

// takePagesWritten returns how many pages the connection has written to the log since
// the last call.
func (c *conn) takePagesWritten() int {
	n, _, err := c.dc.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
	if err != nil {
		return 0 // SQLite does not have this counter; then the log is synced for every group
	}
	return n
}
