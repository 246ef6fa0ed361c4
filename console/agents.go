package console

import (
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const agentsPage = 50 // agents of a page

// agentOrders are the orders of the list of agents, as the address names them.
var agentOrders = []struct {
	name  string // in the address
	title string
	order store.OwnersOrder
}{
	{"activity", "Last activity", store.ByUpdated},
	{"name", "Name", store.ByName},
	{"size", "Size", store.ByBytes},
}

// agentsData is what the list of agents shows.
type agentsData struct {
	Part    string // of the names that was looked for
	Orders  []choice
	Order   string
	Agents  []agentRow
	Limits  workspace.Limits
	Total   workspace.StoreUsage
	Paged   bool   // this is not the first page
	Next    string // the address of the next page; "": there is none
	Configs []Config
	Open    bool // the names lead to their agents
}

// An agentRow is an agent in the list.
type agentRow struct {
	workspace.AgentInfo
	Project string // whose memory it is, unless it has the same name; "": of none
}

// project returns the name of an agent's project, unless it is that of the agent.
func (v *visit) project(agent string) (name string, err error) {
	if v.h.o.Project != nil {
		name, err = v.h.o.Project(v.r.Context(), v.person, agent)
	}
	if name == agent {
		name = ""
	}
	return name, err
}

// A choice is one of several links. The page is that of the current one.
type choice struct {
	Title, Address string
	Current        bool
}

// listed are the agents of the list that the person sees, as in Agents.
func (p Person) listed() []string {
	if p.Admin {
		return []string{"*"}
	}
	return p.Agents
}

// agents shows the agents of the person. Who may not read sees them only with Admin, as
// names and sizes.
func (v *visit) agents() error {
	p := v.person
	if !p.Admin && !p.Read {
		return errMayNotRead
	}
	if agent, ok := p.only(); ok && !p.Admin {
		return v.see(agentURL(agent))
	}
	d := agentsData{Part: v.form.Get("q"), Limits: p.Service.Limits(), Open: p.Read}
	find := workspace.AgentsQuery{Patterns: p.listed(), Part: d.Part, After: v.form.Get("after"),
		Limit: agentsPage}
	d.Paged = find.After != ""
	for i, o := range agentOrders {
		if i == 0 || o.name == v.form.Get("order") {
			d.Order, find.Order = o.name, o.order
		}
	}
	for _, o := range agentOrders {
		d.Orders = append(d.Orders, choice{o.title, agentsURL(d.Part, o.name, ""), o.name == d.Order})
	}
	page, err := p.Service.Agents(v.r.Context(), find)
	if err != nil {
		return err
	}
	for _, a := range page.Agents {
		name, err := v.project(a.Agent)
		if err != nil {
			return err
		}
		d.Agents = append(d.Agents, agentRow{a, name})
	}
	if page.Next != "" {
		d.Next = agentsURL(d.Part, d.Order, page.Next)
	}
	if len(d.Agents) == 0 && d.Part == "" {
		d.Configs = v.configs("", "")
	}
	v.Stream = "/events"
	return v.render("agents", "Agents", d)
}

// agentsURL returns the address of a page of the list of agents.
func agentsURL(part, order, after string) string {
	return query("/", "q", part, "order", order, "after", after)
}
