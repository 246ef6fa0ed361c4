package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// UsageReport is the usage of an agent, and its limits.
type UsageReport struct {
	Agent string
	Usage
	Charge int64 // bytes that count against Limits.Bytes in addition to Usage.Bytes, as a charge for rows
	Limits Limits
}

// A Count is the number of files, logs or entries that an agent has, and the most it may have.
type Count struct {
	Limit
	Title     string // a heading, such as Log entries
	Used, Max int64
}

// Counts returns a Count for each of files, logs and entries, in the order of [AllLimits]. Bytes
// have none, because the Charge counts against their limit too.
func (u UsageReport) Counts() (all []Count) {
	for i, l := range limits {
		if l.used != nil {
			all = append(all, Count{l.Limit, l.title, l.used(&u.Usage), u.Limits.field(i).Int()})
		}
	}
	return all
}

// Usage returns the usage and the limits of the agent. Operations includes this call.
func (w *Workspace) Usage(ctx context.Context) (UsageReport, error) {
	state, err := view(ctx, w, store.Reader.Owner)
	if w.counted(err) != nil {
		return UsageReport{}, within("usage of", w.owner.Agent, err)
	}
	state.Operations += w.svc.reads.get(w.owner)
	return UsageReport{Agent: w.owner.Agent, Usage: state.Usage, Charge: state.Charge(), Limits: w.svc.o.Limits}, nil
}
