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
	state, err := view(ctx, w, store.Reader.Owner)
	if w.counted(err) != nil {
		return UsageReport{}, within("usage of", w.owner.Agent, err)
	}
	state.Operations += w.svc.reads.get(w.owner)
	return UsageReport{Agent: w.owner.Agent, Usage: state.Usage, Charge: state.Charge(), Limits: w.svc.limits}, nil
}
