package workspace

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/nearest"
)

// withNearest adds to the error of a file that does not exist which file may be meant, or
// how to find out.
func (w *Workspace) withNearest(ctx context.Context, p Path, err error) error {
	if !errors.Is(err, errNoFile) {
		return err
	}
	if w.has(ctx, p, nearest.IsLog) {
		return or(Errorf(ErrNotFound, "there is no such file, but a log of this name"), DoReadLog, 0)
	}
	if near := w.nearest(ctx, p, nearest.File); near != "" {
		e := *errNoFile
		e.Way = Way{Do: DoUseName, Name: near}
		return &e
	}
	e := *errNoFile
	return or(&e, DoList, 0)
}

// has reports whether a path exists as a file or as a log. It is for a hint, and reports
// false if the store has an error.
func (w *Workspace) has(ctx context.Context, p Path, exists func(Reader, string) (bool, error)) bool {
	found := false
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		found, err = exists(tx, p.name)
		return err
	})
	return found && err == nil
}

func filePath(h FileHead) string { return h.Path }
func logPath(h LogHead) string   { return h.Path }

// nearest returns the path that find finds near p; "" if none is near. It is for a hint, and
// returns "" if the store has an error.
func (w *Workspace) nearest(ctx context.Context, p Path, find func(Reader, string) (string, error)) (near string) {
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		near, err = find(tx, p.name)
		return err
	})
	if err != nil {
		return ""
	}
	return near
}
