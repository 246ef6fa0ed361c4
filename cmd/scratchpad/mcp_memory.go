package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/brief"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A served memory is what a server gives its calls. It is that of an agent or of a project, or
// each call names its agent.
type served struct {
	p     *process
	db    *database.Handle
	place *project.Place  // whose project it is; nil: no project's
	begun project.Project // when the server began; without an agent: not known

	files  bool // only the tool memory is served
	beside bool // calls reach the memory for everything beside the project's

	mu    sync.Mutex // guards agent
	agent string     // that the server is bound to; "": none, or the project's is not settled yet
}

// serves returns the memory that the command line names.
func (c mcpCommand) serves(p *process) (*served, error) {
	if c.Project == nil || p.onLine("agent") {
		name, given, err := p.agentName()
		if !given {
			name = ""
		}
		return &served{p: p, agent: name}, err
	}
	if p.line.Agent != nil {
		fmt.Fprintln(p.err, "scratchpad: the variable SCRATCHPAD_AGENT is ignored, because --project says whose "+
			"memory this is")
	}
	place, err := project.At(clientFolder(*c.Project))
	if err != nil {
		return nil, err
	}
	p.sayPassed(place)
	return &served{p: p, place: &place}, nil
}

func (s *served) bound() bool { return s.place != nil || s.settled() != "" }

func (s *served) settled() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// beginTime is how long a server waits at its start to learn what its memory is.
const beginTime = time.Second

// begin returns the options of a server for the memory that the project has now: it may be off, or
// it is the memory for everything itself.
func (s *served) begin(o mcpserver.Options) mcpserver.Options {
	if s.place == nil {
		return o
	}
	ctx, cancel := context.WithTimeout(s.p.ctx, beginTime)
	defer cancel()
	found, err := s.p.projectAt(ctx, s.db, *s.place)
	switch s.begun = found; {
	case err != nil: // each call will say what is wrong
	case found.Off:
		o.Brief = nil
		o.Off = "Scratchpad keeps no memory in this folder: the user has turned it off. There are no tools."
	case found.Agent == defaultAgent:
		o.Home = nil
	case found.Settled:
		found.Settle(ctx) // a new origin, or folder; the next start tries again
	}
	return o
}

// workspace returns the workspace of a call.
func (s *served) workspace(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
	svc, err := s.db.Service(ctx)
	if err != nil {
		return nil, s.p.forAgents(err)
	}
	name, get := s.settled(), svc.Agent
	if s.place != nil && (name == "" || call.Write) {
		found, err := s.p.projectAt(ctx, s.db, *s.place)
		switch {
		case err != nil:
		case found.Off:
			err = found.OffError()
		case name != "":
			err = found.Still(name)
		case call.Write:
			name, err = s.settle(ctx, found)
		default:
			name = found.Agent
			if !found.Settled {
				get = svc.Look // a read that is counted would make the agent
			}
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case !s.bound():
		name = call.AgentID
	case call.AgentID != "" && call.AgentID != name:
		return nil, fmt.Errorf("agent_id is not the agent that this server is bound to; leave it out: %w",
			workspace.ErrInvalid)
	}
	ws, err := get(name)
	if err == nil && s.place != nil && name == defaultAgent {
		ws = ws.From(s.place.Doubt())
	}
	return ws, err
}

// hasHome reports whether there may be a memory beside the project's, under "~/". It is in a
// database file alone, because all projects there are of one user.
func (s *served) hasHome() bool { return s.place != nil && s.p.isFile() }

// home returns the memory for everything for a call of a project, nil if that is the call's own.
// Reads of it are not counted.
func (s *served) home(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
	own, err := s.workspace(ctx, call)
	if err != nil || own.Agent() == defaultAgent {
		return nil, err
	}
	svc, err := s.db.Service(ctx)
	if err != nil {
		return nil, s.p.forAgents(err)
	}
	ws, err := svc.Look(defaultAgent)
	if err != nil {
		return nil, err
	}
	return ws.From(own.Agent()), nil
}

// settle binds the server to the agent of its project.
func (s *served) settle(ctx context.Context, found project.Project) (string, error) {
	name, err := found.Settle(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = name
	return name, nil
}

// openAhead opens the database of an agent if there is one, while the client says who it is. The
// caller calls stop before it closes the database. That of a project is open at the start.
func (s *served) openAhead() (stop func()) {
	if s.place != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(s.p.ctx)
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		s.brief(ctx, 1)
	}()
	return func() {
		cancel()
		<-opened
	}
}

// brief returns what is in the memory of the agent or of the project. It makes no database. If it
// cannot tell, it returns nothing: the calls will say why.
func (s *served) brief(ctx context.Context, tokens int) string {
	agent, found := s.settled(), s.begun
	name, err := s.p.databasePath(false)
	if agent == "" && s.place != nil && err == nil {
		if !found.Settled { // another project may have its name by now
			found, err = s.p.projectAt(ctx, s.db, *s.place)
		}
		agent = found.Agent
	}
	if agent == "" || err != nil {
		return ""
	}
	if s.db.Opened() == nil {
		if there, err := database.Exists(ctx, name, s.p.databaseOptions()); err != nil {
			return ""
		} else if !there {
			return s.told(brief.Nothing, tokens)
		}
	}
	b, err := s.p.readBrief(ctx, s.db, agent, "", 0, s.beside && found.Name != "")
	if err != nil {
		return ""
	}
	b.Offer = found.OfferText()
	return s.told(b, tokens)
}

// told returns a brief in words that the tools know.
func (s *served) told(b brief.Brief, tokens int) string {
	if s.files {
		b = b.OfFiles()
	}
	return b.Text(tokens, mcpserver.MaxBrief)
}
