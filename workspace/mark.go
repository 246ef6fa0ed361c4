package workspace

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

// maxMarks is how many marks an agent may have.
const maxMarks = 100

// A mark is kept as a record of the installation.
type mark struct {
	Revision int64 `json:"revision"`
}

// Mark returns the revision that [Workspace.SetMark] has kept under a name. found is false
// if there is no such mark. A name has the characters of an agent's name. Errors:
// [ErrInvalid].
func (w *Workspace) Mark(ctx context.Context, name string) (revision int64, found bool, err error) {
	const op = "read mark"
	key, err := w.markKey(ctx, op, name)
	if err != nil {
		return 0, false, err
	}
	r, err := w.svc.shared(ctx).Get(key)
	if err != nil || r.Revision == 0 {
		return 0, false, within(op, name, err)
	}
	var m mark
	if json.Unmarshal(r.Value, &m) != nil {
		return 0, false, fail(ErrCorrupt, op, name, "the record %s cannot be read", key)
	}
	return m.Revision, true, nil
}

// SetMark keeps under a name how far somebody has read the journal of changes, for their
// next [ChangesOptions.Since]. It never moves a mark back: a reader who was slower does not
// undo what a faster one has set. An agent may have 100 marks; [Service.DeleteAgent]
// removes them. Errors: [ErrInvalid], [ErrQuota].
func (w *Workspace) SetMark(ctx context.Context, name string, revision int64) error {
	const op = "set mark"
	key, err := w.markKey(ctx, op, name)
	if err != nil {
		return err
	}
	if err := checkNumber(op, name, ArgSince, revision, 0); err != nil {
		return err
	}
	shared := w.svc.shared(ctx)
	_, err = records.Update(shared, key, func(old records.Record) ([]byte, error) {
		var m mark
		if old.Revision == 0 {
			if err := w.roomForMark(shared); err != nil {
				return nil, err
			}
		} else if json.Unmarshal(old.Value, &m) == nil && m.Revision >= revision {
			return nil, nil
		}
		return json.Marshal(mark{revision})
	})
	if errors.Is(err, records.ErrBusy) {
		err = or(Errorf(ErrBusy, "too many processes set this mark at once"), DoRetry, 0)
	}
	return within(op, name, err)
}

func (w *Workspace) roomForMark(shared records.Records) error {
	list, err := shared.List(w.markPrefix())
	if err == nil && len(list) >= maxMarks {
		return Errorf(ErrQuota, "this agent has %d marks, the most that are kept; use one of them", len(list))
	}
	return err
}

func (w *Workspace) markPrefix() string { return "mark/" + w.owner.String() + "/" }

func (w *Workspace) markKey(ctx context.Context, op, name string) (string, error) {
	if cause := names.Agent(name); cause != "" {
		return "", fail(ErrInvalid, op, name, "%s", cause)
	}
	return w.markPrefix() + name, checkContext(ctx, op, name)
}

// forgetMarks removes the marks of an agent.
func (w *Workspace) forgetMarks(ctx context.Context) error {
	return records.DeleteIf(w.svc.shared(ctx), w.markPrefix(), func(records.Record) bool { return true })
}
