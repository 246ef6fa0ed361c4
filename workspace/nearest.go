package workspace

import (
	"context"
	"errors"
	"math"
	"path"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// withNearest adds to the error of a file that does not exist which file may be meant, or
// how to find out.
func (w *Workspace) withNearest(ctx context.Context, path string, err error) error {
	if !errors.Is(err, errNoFile) {
		return err
	}
	isLog, near, h := w.instead(ctx, path, KindFile)
	e := *errNoFile
	switch {
	case h.Restorable(w.svc.now()):
		return errDeleted(h)
	case isLog:
		return or(Errorf(ErrNotFound, "there is no such file, but a log of this name"), DoReadLog, 0)
	case near != "":
		e.Way = Way{Do: DoUseName, Name: near}
	default:
		e.Way.Do = DoList
	}
	return &e
}

// errDeleted returns the error for a file that was deleted and can be restored.
func errDeleted(h FileHead) *Error {
	by, at := "", h.Updated.UTC().Format(time.RFC3339)
	if h.Deleter.Client != "" {
		by = " by " + names.Quote(h.Deleter.Client)
	}
	e := or(Errorf(ErrNotFound, "it was deleted%s at %s, and version %d is kept until %s", by, at, h.Last(),
		h.Expires.UTC().Format(time.RFC3339)), DoRestore, h.Last())
	e.Err = &Deletion{Path: h.Path, Deleter: h.Deleter, Time: h.Updated, Last: h.Last(), Until: h.Expires}
	return e
}

// mostNear is among how many of an agent's paths the nearest is looked for, the first ones in
// byte order.
const mostNear = 1000

// instead says what may be meant by a path at which there is nothing of a kind: what the path
// has of the other kind, or the agent's path of the kind that is most like it; "": none is
// near. It also returns the head of the path as a file. It is for a hint, and says nothing if the
// store has an error.
func (w *Workspace) instead(ctx context.Context, path string, kind PathKind) (other bool, near string, h FileHead) {
	paths, err := view(ctx, w, func(r store.Reader) ([]string, error) {
		l, err := r.Load(store.Query{File: path, Log: path})
		h = l.File
		if other = l.Log.Exists(); kind == KindLog {
			other = l.File.Exists()
		}
		if other || err != nil {
			return nil, err
		}
		page, err := r.Scan(store.ScanQuery{Kind: kind, Limit: mostNear})
		return pathsOf(page), err
	})
	if err != nil {
		return false, "", FileHead{}
	}
	return other, nearestPath(path, paths), h
}

// maxMisspelt is how many characters a path may have for misspellings to be counted.
const maxMisspelt = 100

// nearestPath returns the path that is most like the wanted one, the first of several that
// are equally near; "" if none is near.
func nearestPath(wanted string, paths []string) string {
	best, least := "", math.MaxInt
	for _, name := range paths {
		if n, ok := distance(wanted, name); ok && n < least {
			best, least = name, n
		}
	}
	return best
}

// distance says how far two paths are apart, and whether that is near. The nearest paths differ
// only in case. Next come paths of which one ends with the other or lacks only an extension,
// then equal names in other folders, then misspellings.
func distance(a, b string) (n int, near bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	switch {
	case a == b:
		return 0, false
	case strings.EqualFold(a, b):
		return 1, true
	case strings.HasSuffix(a, "/"+b), strings.HasPrefix(a, b+".") && path.Dir(a) == path.Dir(b):
		return 2, true
	case strings.EqualFold(path.Base(a), path.Base(b)):
		return 3, true
	}
	long, short := []rune(a), []rune(b)
	if len(long) < len(short) {
		long, short = short, long
	}
	most := min((1+len(short))/4, 5)
	if len(long)-len(short) > most || len(short) > maxMisspelt {
		return 0, false
	}
	n = edits(long, short)
	return 3 + n, n <= most
}

// edits counts the characters to insert, remove or replace to turn one text into the other.
func edits(long, short []rune) int {
	row := make([]int, len(short)+1) // the edits from what was read of long to each beginning of short
	for j := range row {
		row[j] = j
	}
	for i, c := range long {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range short {
			cost := diagonal
			if c != d {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(short)]
}
