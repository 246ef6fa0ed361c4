package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Mark returns the revision that [Workspace.SetMark] has stored under a name. found is false
// if there is no such mark. The rules for the name are those of [AgentID]. Errors:
// [ErrInvalid].
func (w *Workspace) Mark(ctx context.Context, name string) (revision int64, found bool, err error) {
	if err = checkMark(ctx, name); err == nil {
		revision, found, err = registry.Mark(w.svc.store.System(ctx), w.owner, name)
	}
	return revision, found, within("read mark", name, err)
}

// SetMark stores a revision under a name. A reader of the journal of changes uses a mark to
// remember the next [ChangesOptions].Since. SetMark never moves a mark back: if the stored
// revision is higher, it stays, and SetMark returns no error. An agent may have 100 marks.
// [Service.DeleteAgent] removes them. Errors: [ErrInvalid], and [ErrQuota] for a mark too many.
func (w *Workspace) SetMark(ctx context.Context, name string, revision int64) error {
	err := checkMark(ctx, name)
	if err == nil {
		err = checkNumber(store.ArgSince, revision, 0)
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
