package sqlite

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace"
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
	wrote := w.c.TakePagesWritten()
	w.unseen += max(1, wrote) // 1 for an SQLite without the counter
	if w.durability != Full || wrote > 0 {
		return nil
	}
	// The version from before the sync: the sync covers at least the commits up to it.
	version, err := w.c.Number("PRAGMA data_version")
	if err != nil || w.synced && version == w.syncedVersion {
		return err
	}
	if err := w.c.files.SyncLog(); err != nil {
		e := &engine.Error{Code: engine.CodeIOErrFsync, Text: fmt.Sprintf("sync the write-ahead log: %v", err)}
		return e.WithKind(workspace.ErrOutcomeUnknown)
	}
	w.synced, w.syncedVersion = true, version
	return nil
}
