package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
)

// Mark returns the revision that [Workspace.SetMark] has kept under a name. found is false
// if there is no such mark. A name has the characters of an agent's name. Errors:
// [ErrInvalid].
func (w *Workspace) Mark(ctx context.Context, name string) (revision int64, found bool, err error) {
	const op = "read mark"
	if err := checkMark(ctx, op, name); err != nil {
		return 0, false, err
	}
	revision, found, err = registry.Mark(w.svc.store.System(ctx), w.owner, name)
	return revision, found, within(op, name, err)
}

// SetMark keeps under a name how far somebody has read the journal of changes, for their
// next [ChangesOptions.Since]. It never moves a mark back: a reader who was slower does not
// undo what a faster one has set. An agent may have 100 marks; [Service.DeleteAgent]
// removes them. Errors: [ErrInvalid], [ErrQuota].
func (w *Workspace) SetMark(ctx context.Context, name string, revision int64) error {
	const op = "set mark"
	if err := checkMark(ctx, op, name); err != nil {
		return err
	}
	if err := checkNumber(op, name, ArgSince, revision, 0); err != nil {
		return err
	}
	return within(op, name, registry.SetMark(w.svc.store.System(ctx), w.owner, name, revision))
}

func checkMark(ctx context.Context, op, name string) error {
	if cause := names.Agent(name); cause != "" {
		return fail(ErrInvalid, op, name, "%s", cause)
	}
	return checkContext(ctx, op, name)
}
