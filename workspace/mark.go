package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/marks"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// Mark returns the revision that [Workspace.SetMark] has kept under a name. found is false
// if there is no such mark. A name has the characters of an agent's name. Errors:
// [ErrInvalid].
func (w *Workspace) Mark(ctx context.Context, name string) (revision int64, found bool, err error) {
	const op = "read mark"
	key, err := w.markKey(ctx, op, name)
	if err != nil {
		return 0, false, err
	}
	revision, found, err = marks.Get(w.svc.store.System(ctx), key)
	return revision, found, within(op, name, err)
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
	return within(op, name, marks.Set(w.svc.store.System(ctx), w.markPrefix(), key, revision))
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
	return records.DeleteAll(w.svc.store.System(ctx), w.markPrefix())
}
