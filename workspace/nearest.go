package workspace

import (
	"context"
	"errors"
	"math"
	"path"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// withNearest adds to the error of a file that does not exist which file may be meant, or
// how to find out.
func (w *Workspace) withNearest(ctx context.Context, p Path, err error) error {
	if !errors.Is(err, errNoFile) {
		return err
	}
	if w.has(ctx, p, isLog) {
		return or(Errorf(ErrNotFound, "there is no such file, but a log of this name"), DoReadLog, 0)
	}
	if near := w.nearest(ctx, p, nearestFile); near != "" {
		e := *errNoFile
		e.Way = Way{Do: DoUseName, Name: near}
		return &e
	}
	e := *errNoFile
	return or(&e, DoList, 0)
}

// has reports whether a path exists as a file or as a log. It is for a hint, and reports
// false if the store has an error.
func (w *Workspace) has(ctx context.Context, p Path, exists func(store.Reader, string) (bool, error)) bool {
	found := false
	err := w.svc.store.View(ctx, w.owner, func(tx store.Reader) (err error) {
		found, err = exists(tx, p.name)
		return err
	})
	return found && err == nil
}

// nearest returns the path that find finds near p; "" if none is near. It is for a hint, and
// returns "" if the store has an error.
func (w *Workspace) nearest(ctx context.Context, p Path,
	find func(store.Reader, string) (string, error)) (near string) {
	err := w.svc.store.View(ctx, w.owner, func(tx store.Reader) (err error) {
		near, err = find(tx, p.name)
		return err
	})
	if err != nil {
		return ""
	}
	return near
}

// mostNear is among how many of an agent's paths the nearest is looked for, the first ones in
// byte order.
const mostNear = 1000

// nearestFile returns the agent's file whose path is most like a path; "" if none is near.
func nearestFile(r store.Reader, path string) (string, error) { return nearestOf(r, KindFile, path) }

// nearestLog returns the agent's log whose path is most like a path; "" if none is near.
func nearestLog(r store.Reader, path string) (string, error) { return nearestOf(r, KindLog, path) }

func nearestOf(r store.Reader, kind PathKind, path string) (string, error) {
	page, err := r.Scan(store.ScanQuery{Kind: kind, Limit: mostNear})
	var all []string
	for _, f := range page.Files {
		all = append(all, f.Path)
	}
	for _, h := range page.Logs {
		all = append(all, h.Path)
	}
	return nearestPath(path, all), err
}

// isFile reports whether a path is a file.
func isFile(r store.Reader, path string) (bool, error) {
	l, err := r.Load(store.Query{File: path})
	return l.File.Exists(), err
}

// isLog reports whether a path is a log.
func isLog(r store.Reader, path string) (bool, error) {
	l, err := r.Load(store.Query{Log: path})
	return l.Log.Exists(), err
}

// maxMisspelt is how many characters a path may have for misspellings to be counted.
const maxMisspelt = 255

// nearestPath returns the path that is most like the wanted one, the first of several that
// are equally near; "" if none is near.
func nearestPath(wanted string, paths []string) string {
	best, least := "", math.MaxInt
	want := []rune(wanted)
	for _, name := range paths {
		if n, ok := distance(wanted, want, name); ok && n < least {
			best, least = name, n
		}
	}
	return best
}

// distance says how far two paths are apart, and whether that is near. as has the
// characters of a. The nearest paths differ only in case. Next come paths of which one
// ends with the other or lacks only an extension, then equal names in other folders, then
// misspellings.
func distance(a string, as []rune, b string) (n int, near bool) {
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
	return misspelt(as, []rune(b))
}

// misspelt says how many edits lead from one path to the other, and whether they are few.
func misspelt(long, short []rune) (n int, near bool) {
	if len(long) < len(short) {
		long, short = short, long
	}
	most := min((1+len(short))/4, 5)
	n = edits(long, short, most)
	return 3 + n, n <= most
}

// edits counts the characters to insert, remove or replace to turn one text into the
// other; the longer text comes first. The result is above most if there are more than
// most.
func edits(long, short []rune, most int) int {
	if len(long)-len(short) > most || len(short) > maxMisspelt {
		return most + 1
	}
	var rows [2][maxMisspelt + 1]int
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
