package inspect

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An AgentsQuery selects and orders agents of a tenant. The zero value selects none.
type AgentsQuery struct {
	// Patterns are the agents that may be shown: names, beginnings of names that end in
	// *, or * for all. There may be 100. Without any, no agent is shown.
	Patterns []string

	Part  string            // what stands somewhere in the names, in upper or lower case; "": any
	Order store.OwnersOrder // by name, by the last write or by bytes; ties are in byte order of name
	After string            // the Next of the page before, with the same Order; "": from the first
	Limit int               // 1-200; 0: 50
}

// An AgentPage is a page of agents that hold anything.
//
// The pages are of different moments. An agent that changes its place in the order between
// two of them may be on both, or on neither.
type AgentPage struct {
	Agents []AgentInfo
	Next   string // of [A-Za-z0-9_.-], for After; "": there are no more
}

// An AgentInfo is an agent in a list.
type AgentInfo struct {
	Agent   string
	Usage   store.Usage // Bytes is the content alone; reads of the last ten seconds may be missing in Operations
	Updated time.Time   // of the last write; zero: not known
}
