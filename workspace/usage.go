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

// A Count is how many the agent has of something, and how many it may have.
type Count struct {
	Limit
	Title     string // such as Log entries
	Used, Max int64
}

// Counts returns how many the agent has of all that is counted and limited, in the order of
// [AllLimits]. Bytes are not among them: the Charge counts against their limit too.
func (u UsageReport) Counts() (all []Count) {
	for i, l := range limits {
		if l.used != nil {
			all = append(all, Count{l.Limit, l.title, l.used(&u.Usage), u.Limits.field(i).Int()})
		}
	}
	return all
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
