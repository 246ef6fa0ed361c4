package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// UsageReport is what an agent uses, and its limits.
type UsageReport struct {
	Agent string
	Usage
	Charge int64 // bytes that count against Limits.Bytes in addition to Usage.Bytes: the charge for rows
	Limits Limits
}

// Usage returns what the agent uses. Its Operations include this call.
func (w *Workspace) Usage(ctx context.Context) (UsageReport, error) {
	if err := checkContext(ctx, "usage of", w.owner.Agent); err != nil {
		return UsageReport{}, err
	}
	var state store.OwnerState
	err := w.viewCounted(ctx, func(tx store.Reader) (err error) {
		state, err = tx.Owner()
		return err
	})
	if err != nil {
		return UsageReport{}, within("usage of", w.owner.Agent, err)
	}
	state.Operations += w.svc.reads.get(w.owner)
	return UsageReport{Agent: w.owner.Agent, Usage: state.Usage, Charge: state.Charge(), Limits: w.svc.limits}, nil
}
