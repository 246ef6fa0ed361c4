package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/versionlist"
)

// Queries for versions, and the answers. They are described in package inspect.
type (
	FileQuery     = inspect.FileQuery
	FileView      = inspect.FileView
	VersionsQuery = inspect.VersionsQuery
	VersionsPage  = inspect.VersionsPage
	VersionRef    = inspect.VersionRef
	FileVersion   = inspect.FileVersion
)

// ViewFile returns a version of a file, found by the file's path or by when it was created.
// A file keeps its time of creation when it moves, and a file that is written has one that
// no other file of the agent has. Files from elsewhere may share one.
// Errors: [ErrNotFound]; [ErrConflict] if files share the time of creation; [ErrCorrupt].
func ViewFile(ctx context.Context, w *Workspace, q FileQuery) (v FileView, err error) {
	const op = "read"
	if q.Path != "" {
		p, err := w.start(ctx, op, q.Path)
		if err != nil {
			return FileView{}, err
		}
		q.Path = p.name
	}
	if err = checkContext(ctx, op, q.Path); err == nil {
		err = w.svc.store.View(ctx, w.owner, func(r Reader) (err error) {
			v, err = versionlist.View(r, q)
			return err
		})
	}
	if q.Count {
		w.counted(err)
	}
	if err != nil {
		return FileView{}, within(op, q.Path, err)
	}
	return v, nil
}

// ViewVersions returns a page of the versions that are kept of all files, the newest first,
// without content. It is not counted as an operation. Errors: [ErrInvalid].
func ViewVersions(ctx context.Context, w *Workspace, q VersionsQuery) (page VersionsPage, err error) {
	const op = "list versions"
	if err := checkContext(ctx, op, ""); err != nil {
		return VersionsPage{}, err
	}
	err = w.svc.store.View(ctx, w.owner, func(r Reader) (err error) {
		page, err = versionlist.List(r, q)
		return err
	})
	return page, within(op, "", err)
}
