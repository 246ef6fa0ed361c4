package sqlite

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/sqlite"
)

// confirm makes durable what the answers of a group rest on. Where the group
// wrote pages, its commit has synced the whole log, with what others left there
// before. Where it wrote none, as when it answered a repeated request, the log
// may still hold commits that no process has synced: of one that was killed
// before its sync, found again by the recovery of the log, or of a neighbour with
// [Normal] durability. So the log is synced here, once for all that has been
// committed up to now.
//
// Reading does not do this. What a View shows is committed, but it is no
// acknowledgement, and a power cut may take it back where its writer's sync is
// missing.
func (w *writer) confirm() error {
	if w.durability != Full || w.c.takePagesWritten() > 0 {
		return nil
	}
	// Of the version before the sync: it covers at least the commits up to there.
	version, err := w.c.number("PRAGMA data_version")
	if err != nil || w.synced && version == w.syncedVersion {
		return err
	}
	if err := w.c.files.SyncLog(); err != nil {
		return &dbError{kind: workspace.ErrOutcomeUnknown, code: codeIOErrFsync, text: fmt.Sprintf("sync the write-ahead log: %v", err)}
	}
	w.synced, w.syncedVersion = true, version
	return nil
}

// takePagesWritten returns how many pages the connection has written to the log
// since it was last called.
func (c *conn) takePagesWritten() int {
	n, _, err := c.dc.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
	if err != nil {
		return 0 // SQLite does not know the counter; then every group is confirmed
	}
	return n
}
