package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// maxNearest is how many of an agent's paths are looked at for the one that was
// meant, the first in byte order.
const maxNearest = 1000

// withNearest adds to the error of a file that is not there which file may be
// meant, or how to find out.
func (w *Workspace) withNearest(ctx context.Context, p Path, err error) error {
	if !errors.Is(err, errNoFile) {
		return err
	}
	if w.has(ctx, p, logExists) {
		return fmt.Errorf("there is no such file, but a log of this name; use read_log: %w", ErrNotFound)
	}
	if near := w.nearest(ctx, p, filePaths); near != "" {
		return fmt.Errorf("there is no such file; the nearest name is %s: %w", clip(near), ErrNotFound)
	}
	return fmt.Errorf("there is no such file; list_files shows those that exist: %w", ErrNotFound)
}

func fileExists(tx Reader, p Path) (bool, error) {
	head, _, err := tx.File(p.name)
	return head.Exists(), err
}

func logExists(tx Reader, p Path) (bool, error) {
	head, _, err := tx.Log(p.name)
	return head.Exists(), err
}

// has reports whether a path exists in one of the two namespaces. It is a hint:
// trouble of the store is no error here.
func (w *Workspace) has(ctx context.Context, p Path, exists func(Reader, Path) (bool, error)) bool {
	found := false
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		found, err = exists(tx, p)
		return err
	})
	return found && err == nil
}

func filePaths(tx Reader) (paths []string, err error) {
	heads, err := tx.Files("", "", maxNearest)
	for _, h := range heads {
		paths = append(paths, h.Path)
	}
	return paths, err
}

func logPaths(tx Reader) (paths []string, err error) {
	heads, err := tx.Logs("", "", maxNearest)
	for _, h := range heads {
		paths = append(paths, h.Path)
	}
	return paths, err
}

// nearest returns the agent's path that is most like one that does not exist; ""
// if none is near. It is a hint: trouble of the store is no error here.
func (w *Workspace) nearest(ctx context.Context, p Path, list func(Reader) ([]string, error)) string {
	var paths []string
	err := w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		paths, err = list(tx)
		return err
	})
	if err != nil {
		return ""
	}
	best, least := "", maxPath
	for _, name := range paths {
		if n, ok := distance(p.name, name); ok && n < least {
			best, least = name, n
		}
	}
	return best
}

// distance says how far two paths are apart, and whether that is near. Nearest are
// paths that differ in case, then those of which one ends with the other or lacks
// only an extension, then equal names in other folders, then misspellings.
func distance(a, b string) (n int, near bool) {
	long, short := a, b
	if len(a) < len(b) {
		long, short = b, a
	}
	switch {
	case a == b:
		return 0, false
	case strings.EqualFold(a, b):
		return 1, true
	case strings.HasSuffix(long, "/"+short), strings.HasPrefix(long, short+".") && path.Dir(long) == path.Dir(short):
		return 2, true
	case strings.EqualFold(path.Base(a), path.Base(b)):
		return 3, true
	}
	most := min((1+len(short))/4, 5)
	n = edits(long, short, most)
	return 3 + n, n <= most
}

// edits counts the bytes to insert, remove or replace to make one text of the
// other, the longer one first; more than most if there are more.
func edits(long, short string, most int) int {
	if len(long)-len(short) > most {
		return most + 1
	}
	var rows [2][maxPath + 1]int
	last, row := &rows[0], &rows[1]
	for j := range len(short) + 1 {
		last[j] = j
	}
	for i := range len(long) {
		from, to := max(0, i-most), min(len(short), i+1+most) // farther columns cost more than most
		row[from] = most + 1
		if from == 0 {
			row[0] = i + 1
		}
		for j := from; j < to; j++ {
			cost := last[j]
			if long[i] != short[j] {
				cost++
			}
			above := most + 1
			if j+1 <= i+most { // the last row ended before it
				above = last[j+1] + 1
			}
			row[j+1] = min(cost, row[j]+1, above)
		}
		last, row = row, last
	}
	return min(last[len(short)], most+1)
}
