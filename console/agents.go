package console

import (
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// agentsData is what the list of agents shows.
type agentsData struct {
	Agents []workspace.AgentUsage
	Limits workspace.Limits
}

// agents shows the agents of the person.
func (h *Handler) agents(v *visit) error {
	list, err := v.person.Service.Agents(v.r.Context(), "", 100)
	if err != nil {
		return err
	}
	d := agentsData{Limits: workspace.DefaultLimits()}
	for _, a := range list {
		if v.person.Allow(a.Agent) {
			d.Agents = append(d.Agents, a)
		}
	}
	return v.render("agents", "Agents", pageOptions{part: partAgents}, d)
}
