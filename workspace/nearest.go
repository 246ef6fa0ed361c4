package workspace

import (
	"context"
	"errors"
	"path"
	"slices"
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
	at := w.instead(ctx, path, KindFile)
	e := *errNoFile
	switch near := at.near; {
	case at.last > 0:
		return errDeleted(at)
	case at.other:
		return or(Errorf(ErrNotFound, "there is no such file, but a log of this name"), store.DoReadLog, 0)
	case near != "":
		e.Way = store.Way{Do: store.DoUseName, Name: near}
	default:
		e.Way.Do = store.DoList
	}
	return &e
}

// errDeleted returns the error for a file that was deleted and can be restored, or that has left
// versions where it was before a move.
func errDeleted(m missing) *Error {
	h, was, by, log := m.File, "deleted", "", ""
	if m.moved != "" {
		was = "moved to " + names.Quote(m.moved)
	}
	if m.other {
		log = "; there is a log of this name"
	}
	at := h.Updated.UTC().Format(time.RFC3339)
	if h.Deleter.Client != "" {
		by = " by " + names.Quote(h.Deleter.Client)
	}
	e := or(Errorf(ErrNotFound, "it was %s%s at %s, and version %d is kept until %s%s", was, by, at, m.last,
		h.Expires.UTC().Format(time.RFC3339), log), store.DoRestore, m.last)
	e.Err = &Deletion{Path: h.Path, Deleter: h.Deleter, Time: h.Updated, Last: m.last, Until: h.Expires}
	return e
}

// mostNear is among how many of an agent's paths the nearest is looked for, the first ones in
// byte order.
const mostNear = 1000

// A missing says what may be meant by a path at which there is nothing of a kind.
type missing struct {
	other bool     // the path has something of the other kind
	near  string   // the agent's path of the kind that is most like it; "": none is near
	File  FileHead // of the path
	last  int64    // the newest version of a deleted file that can be restored; 0: none
	moved string   // where the file is that has left these versions; "": it was deleted
}

// instead says what may be meant by a path at which there is nothing of a kind. It is for a hint,
// and says nothing if the store has an error.
func (w *Workspace) instead(ctx context.Context, path string, kind PathKind) missing {
	m, err := view(ctx, w, func(r store.Reader) (m missing, err error) {
		l, err := r.Load(store.Query{File: path, Log: path})
		m.File = l.File
		if m.other = l.Log.Exists(); kind == KindLog {
			m.other = l.File.Exists()
		} else if err == nil {
			m.last, err = restorable(r, l.File, w.svc.o.Now())
		}
		if m.other && m.last == 0 || err != nil {
			return m, err
		}
		page, err := r.Scan(store.ScanQuery{Kind: kind, Limit: mostNear})
		m.near = nearestPath(path, pathsOf(page))
		for _, f := range page.Files {
			if f.Created.Equal(m.File.Created) { // no two files have the same, see saveVersion
				m.moved = f.Path
			}
		}
		return m, err
	})
	if err != nil {
		return missing{}
	}
	return m
}

// nearestPath returns the path that is most like the wanted one, the shortest of several that
// are equally near. It sorts the paths. A path is near if it shares more than three quarters of the wanted one, or if
// both have the same name in other folders. Case does not matter. "": none is near.
func nearestPath(wanted string, paths []string) string {
	want := strings.ToLower(wanted)
	nearest, best := "", len(want)*3/4
	slices.SortStableFunc(paths, func(a, b string) int { return len(a) - len(b) })
	for _, p := range paths {
		score := alike(strings.ToLower(p), want)
		if strings.EqualFold(path.Base(p), path.Base(wanted)) {
			score += len(want)
		}
		if score > best && p != wanted {
			nearest, best = p, score
		}
	}
	return nearest
}
