package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type mcpCommand struct {
	MaxReadTokens number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"0" placeholder:"N" help:"The most tokens that read_file sends of a file, about: ${default}, which is no bound. Hosts hide or cut long answers: client-config sets 20000."`
}

// Help is shown by scratchpad mcp --help.
func (mcpCommand) Help() string {
	return `Add it to a client, for example to Claude Code:

  claude mcp add scratchpad -- /path/to/scratchpad mcp --agent default

scratchpad client-config prints what other clients want. It ends when standard input does, or at SIGTERM, with everything stored that it has acknowledged. Logs go to standard error. A database that it may only read is served for reading, which it says once.

For summaries by a model it wants ANTHROPIC_API_KEY or OPENAI_API_KEY in its environment, which client-config --pass-key tells a client to give it; without one it makes outlines.`
}

// Run serves until the client leaves or a signal comes.
func (c mcpCommand) Run(p *process) (err error) {
	bound, isBound, err := p.agentName()
	if err != nil {
		return err
	}
	if _, err := p.databasePath(false); err != nil {
		return err
	}
	var why string
	if p.summarizer, why, err = p.line.Summaries.choose(); err != nil {
		return err
	}
	p.saySummaries(why)
	db := newDatabase(p, false)
	db.settle = true
	defer func() { err = errors.Join(err, db.Close()) }()
	server, err := mcpserver.New(mcpserver.Options{
		Bound: isBound, Version: version(), Logger: p.log, Summarizer: p.summarizer, MaxReadTokens: int(c.MaxReadTokens),
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			name := call.AgentID
			if isBound {
				if name != "" && name != bound {
					return nil, fmt.Errorf("agent_id is not the agent that this server is bound to; leave it out: %w", workspace.ErrInvalid)
				}
				name = bound
			}
			svc, err := db.service(ctx)
			if err != nil {
				return nil, err
			}
			return svc.Agent(name)
		},
	})
	if err != nil {
		return err
	}
	// What is printed by mistake, by whatever code, must not reach the client.
	out := p.out
	os.Stdout = os.Stderr
	ignorePipeSignal()
	collectLess()
	if isTerminal(p.in) {
		fmt.Fprintf(p.err, "serving MCP on standard input; a client starts this, see scratchpad client-config --help; %s ends it\n", endKeys())
	}
	return server.Run(p.ctx, p.in, out)
}

// saySummaries tells what makes summaries: always where a model gets the files.
func (p *process) saySummaries(why string) {
	if p.summarizer != nil && p.summarizer.Remote {
		fmt.Fprintf(p.err, "scratchpad: summaries: %s\n", why)
		return
	}
	p.log.Info("summaries: " + why)
}

// collectLess lets a heap of a few MiB, which decoding fills with short-lived
// buffers, grow further before it is collected: 10 % more writes and 40 % more
// reads for 12 MiB. A heap that is near 160 MiB, as it is only when many large calls
// are under way, is collected sooner. $GOGC and $GOMEMLIMIT override it.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
}
