package workspace

import (
	"context"
	"io/fs"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/filetree"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// FS returns the agent's current files as a read-only [fs.FS] that also has ReadFile,
// ReadDir and Stat. The slashes in paths make the folders. If a path is both a file and
// a folder, FS shows the folder. Files have mode 0444. Folders have mode 0555 and the zero
// time. FS lists all stored paths, but opens a file only if Options.Paths allows its path.
// Each call sees the files as they are at that moment. All calls use ctx: after ctx ends,
// they fail. The result is safe for concurrent use.
//
// Errors are [*fs.PathError]. If a file does not exist, the error wraps [fs.ErrNotExist].
//
// FS is a function and not a method, for the same reason as [Saver].
func FS(ctx context.Context, w *Workspace) fs.FS {
	view := func(ctx context.Context, fn func(store.Reader) error) error {
		return w.counted(w.svc.store.View(ctx, w.owner, fn))
	}
	return filetree.Files{Context: ctx, View: view, Read: w.readWhole}
}

func (w *Workspace) readWhole(ctx context.Context, path string) ([]byte, time.Time, error) {
	r, err := w.ReadFile(ctx, path, ReadOptions{})
	return r.Content, r.Time, err
}
