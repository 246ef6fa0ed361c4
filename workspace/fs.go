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
// a folder, it shows the folder. Files have mode 0444, folders have mode 0555 and no
// time. All paths that are stored are shown; a file opens only if its path is one by
// Options.Paths. Each call sees the files as they are at that moment. The context holds
// for the whole life of the result.
//
// Errors are [*fs.PathError]. For a file that does not exist, they wrap
// [fs.ErrNotExist].
//
// It is a function and no method for the reason of [Saver].
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
