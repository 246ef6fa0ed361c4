package workspace

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/nearest"
)

// maxNearest is among how many of an agent's paths the nearest is looked for, the first
// ones in byte order.
const maxNearest = 1000

// withNearest adds to the error of a file that does not exist which file may be meant, or
// how to find out.
func (w *Workspace) withNearest(ctx context.Context, p Path, err error) error {
	if !errors.Is(err, errNoFile) {
		return err
	}
	if w.has(ctx, p, logExists) {
		return or(Errorf(ErrNotFound, "there is no such file, but a log of this name"), DoReadLog, 0)
	}
	if near := w.nearest(ctx, p, filePaths); near != "" {
		e := *errNoFile
		e.Way = Way{Do: DoUseName, Name: near}
		return &e
	}
	e := *errNoFile
	return or(&e, DoList, 0)
}

func fileExists(tx Reader, p Path) (bool, error) {
	head, _, err := tx.File(p.name)
	return head.Exists(), err
}

func logExists(tx Reader, p Path) (bool, error) {
	head, _, err := tx.Log(p.name)
	return head.Exists(), err
}

// has reports whether a path exists as a file or as a log. It is for a hint, and reports
// false if the store has an error.
func (w *Workspace) has(ctx context.Context, p Path, exists func(Reader, Path) (bool, error)) bool {
	found := false
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		found, err = exists(tx, p)
		return err
	})
	return found && err == nil
}

func filePaths(tx Reader) ([]string, error) { return paths(tx.Files, filePath) }

func logPaths(tx Reader) ([]string, error) { return paths(tx.Logs, logPath) }

func paths[H any](list func(prefix, after string, limit int) ([]H, error), path func(H) string) (all []string, err error) {
	heads, err := list("", "", maxNearest)
	for _, h := range heads {
		all = append(all, path(h))
	}
	return all, err
}

func filePath(h FileHead) string { return h.Path }
func logPath(h LogHead) string   { return h.Path }

// nearest returns the agent's path that is most like p; "" if none is near. It is for a
// hint, and returns "" if the store has an error.
func (w *Workspace) nearest(ctx context.Context, p Path, list func(Reader) ([]string, error)) string {
	var paths []string
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		paths, err = list(tx)
		return err
	})
	if err != nil {
		return ""
	}
	return nearest.Path(p.name, paths)
}
