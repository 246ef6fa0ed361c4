package dbcopy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// recordKey is the record of a database that is an unfinished copy.
const recordKey = "migrate/unfinished"

// unfinished is the value of the record.
type unfinished struct {
	From string `json:"from"` // the source, without a password
	ID   string `json:"id"`   // of the copy, random
}

// Unfinished returns [workspace.ErrUnsupported] if a database is a copy that is not complete,
// and nil otherwise. Whoever opens a database calls Unfinished first. Other errors are those
// of the store.
func Unfinished(ctx context.Context, s workspace.Store) error {
	u, revision, err := readUnfinished(ctx, s)
	if err != nil || revision == 0 {
		return err
	}
	return workspace.Errorf(workspace.ErrUnsupported,
		"this database is a copy of %s that is not complete; run scratchpad migrate --from %s again, which "+
			"completes it if nothing was written to what it has copied, or copy into a new database", u.From, u.From)
}

// readUnfinished returns the record and its revision, which is 0 if there is none.
func readUnfinished(ctx context.Context, s workspace.Store) (u unfinished, revision int64, err error) {
	r, err := records.Get(s.System(ctx), recordKey)
	if err == nil && r.Revision > 0 {
		if err = json.Unmarshal(r.Value, &u); err != nil {
			err = workspace.Errorf(workspace.ErrCorrupt, "record %s: %v", recordKey, err)
		}
	}
	return u, r.Revision, err
}

// Target returns [workspace.ErrConflict] unless a database can be the target of a copy: it
// must hold nothing, or an unfinished copy of the source that from names. Target changes
// nothing.
func Target(ctx context.Context, s workspace.Store, from string) error {
	_, _, err := target(ctx, s, from)
	return err
}

func target(ctx context.Context, s workspace.Store, from string) (u unfinished, revision int64, err error) {
	u, revision, err = readUnfinished(ctx, s)
	switch {
	case err != nil:
	case revision == 0:
		err = wantEmpty(ctx, s)
	case u.From != from:
		err = workspace.Errorf(workspace.ErrConflict,
			"the target holds an unfinished copy of %s; complete that one, or give another target", u.From)
	}
	return u, revision, err
}

// begin marks the target as a copy that is not complete.
func (c *copier) begin() error {
	if err := Unfinished(c.ctx, c.from); err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	u, revision, err := target(c.ctx, c.to, c.o.From)
	if err != nil {
		return err
	}
	if revision == 0 {
		u = unfinished{From: c.o.From, ID: rand.Text()}
	}
	c.report.Resumed = revision != 0
	value, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if c.revision, err = c.to.System(c.ctx).Put(recordKey, value, revision); err != nil {
		return fmt.Errorf("mark the copy as unfinished: %w", err)
	}
	if other, at, err := readUnfinished(c.ctx, c.from); err != nil || at != 0 && other.ID == u.ID {
		return errors.Join(err, c.unmark(), workspace.Errorf(workspace.ErrInvalid,
			"source and target are the same database"))
	}
	if c.report.Resumed {
		return nil
	}
	if err := wantEmpty(c.ctx, c.to); err != nil { // somebody who had it open has written meanwhile
		return errors.Join(err, c.unmark())
	}
	return nil
}

// unmark removes the record of the target.
func (c *copier) unmark() error { return c.to.System(c.ctx).Delete(recordKey, c.revision) }

// wantEmpty returns ErrConflict unless a database has no owner and no record but the one of
// an unfinished copy.
func wantEmpty(ctx context.Context, s workspace.Store) error {
	all, err := owners(ctx, s)
	if err != nil {
		return err
	}
	for _, o := range all {
		return workspace.Errorf(workspace.ErrConflict,
			"the target is not empty: it has the agent %s; give a new database", o)
	}
	for r, err := range records.All(s.System(ctx), "", "") {
		if err != nil {
			return err
		}
		if r.Key != recordKey {
			return workspace.Errorf(workspace.ErrConflict,
				"the target is not empty: it has the record %s; give a new database", r.Key)
		}
	}
	return nil
}

// ours returns ErrConflict if another Copy has begun to write to the target.
func (c *copier) ours() error {
	_, revision, err := readUnfinished(c.ctx, c.to)
	if err == nil && revision != c.revision {
		err = workspace.Errorf(workspace.ErrConflict, "another migrate writes to the target")
	}
	return err
}
