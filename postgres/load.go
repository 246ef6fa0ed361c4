package postgres

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Load sends all queries in one go. What is to be read does not depend on an answer: the
// server looks up the number of the current version itself.
func (r reader) Load(q workspace.Query) (workspace.Loaded, error) {
	var l workspace.Loaded
	if err := r.withOwner(&l.Owner, r.loadQueries(q, &l)...); err != nil {
		return workspace.Loaded{}, err
	}
	if q.Entries != nil && q.Entries.Tail {
		slices.Reverse(l.Entries)
	}
	if err := settle(q, &l); err != nil {
		return workspace.Loaded{}, err
	}
	return l, nil
}

func (r reader) loadQueries(q workspace.Query, l *workspace.Loaded) (batch []wire.Statement) {
	if q.File != "" {
		batch = append(batch, r.fileQuery(q.File, &l.File))
		if q.History {
			batch = append(batch, r.versionsQuery(q.File, &l.Versions))
		}
		known := int64(noVersion)
		if q.Version == 0 && q.Since != 0 {
			known = q.Since
		}
		if q.Current || q.Version != 0 {
			batch = append(batch, r.versionQuery(q.File, q.Version, known, &l.Version))
		}
		if q.Since != 0 {
			batch = append(batch, r.versionQuery(q.File, q.Since, noVersion, &l.Old))
		}
	}
	if q.To != "" {
		batch = append(batch, r.fileQuery(q.To, &l.To))
	}
	if q.Log != "" {
		batch = append(batch, r.logQuery(q.Log, &l.Log))
		if q.Entries != nil {
			batch = append(batch, r.entriesQuery(q.Log, *q.Entries, &l.Entries))
		}
		if q.Through > 0 {
			batch = append(batch, r.bytesQuery(q.Log, q.Through, &l.Bytes))
		}
	}
	if q.Request != "" {
		batch = append(batch, r.requestQuery(q.Request, &l.Request))
	}
	if q.MaxDue > 0 {
		batch = append(batch, r.dueQuery(q.From, q.Until, q.MaxDue, &l.Due))
	}
	return batch
}

// settle removes what was read beyond what the heads say, and finds what is missing.
func settle(q workspace.Query, l *workspace.Loaded) error {
	h := l.File
	if !h.Exists() {
		l.Version, l.Old, l.Versions = workspace.Version{}, workspace.Version{}, nil
	} else if q.Current || q.Version != 0 {
		n := h.Version
		if q.Version != 0 {
			n = q.Version
		}
		if err := retained(h, n, &l.Version); err != nil {
			return err
		}
	}
	if h.Exists() && q.Since != 0 {
		if q.Since >= h.Version {
			l.Old = workspace.Version{}
		} else if err := retained(h, q.Since, &l.Old); err != nil {
			return err
		}
	}
	if !l.Log.Exists() {
		l.Entries = nil
	}
	if l.Owner.Requests == 0 {
		l.Due = 0
	}
	return nil
}

// retained clears a version that the head does not count.
func retained(h workspace.FileHead, n int64, v *workspace.Version) error {
	switch {
	case n < h.Oldest() || n > h.Version:
		*v = workspace.Version{}
	case v.Number != n:
		return missingVersion(n)
	}
	return nil
}
