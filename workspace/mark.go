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
	if err = checkMark(ctx, name); err == nil {
		revision, found, err = registry.Mark(w.svc.store.System(ctx), w.owner, name)
	}
	return revision, found, within("read mark", name, err)
}

// SetMark keeps under a name how far somebody has read the journal of changes, for their
// next [ChangesOptions.Since]. It never moves a mark back: a reader who was slower does not
// undo what a faster one has set. An agent may have 100 marks; [Service.DeleteAgent]
// removes them. Errors: [ErrInvalid], [ErrQuota].
func (w *Workspace) SetMark(ctx context.Context, name string, revision int64) error {
	err := checkMark(ctx, name)
	if err == nil {
		err = checkNumber(ArgSince, revision, 0)
	}
	if err == nil {
		err = registry.SetMark(w.svc.store.System(ctx), w.owner, name, revision)
	}
	return within("set mark", name, err)
}

func checkMark(ctx context.Context, name string) error {
	if cause := names.Agent(name); cause != "" {
		return Errorf(ErrInvalid, "%s", cause)
	}
	return checkContext(ctx)
}
