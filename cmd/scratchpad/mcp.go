package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type mcpCommand struct{}

// Help is shown by scratchpad mcp --help.
func (mcpCommand) Help() string {
	return `Add it to a client, for example to Claude Code:

  claude mcp add scratchpad -- /path/to/scratchpad mcp --agent default

It ends when standard input does. Logs go to standard error.`
}

// Run serves until the client leaves or a signal comes.
func (mcpCommand) Run(line *commandLine, p process) error {
	bound := ""
	if line.Agent != nil { // also where it is empty: a name that went missing must not open every agent
		id, err := workspace.ParseAgentID(*line.Agent)
		if err != nil {
			return fmt.Errorf("--agent: %w", err)
		}
		bound = id.String()
	}
	db := &database{path: line.DB, log: p.log}
	server, err := mcpserver.New(mcpserver.Options{
		Bound: bound != "", Version: version(), Logger: p.log,
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			return db.agent(ctx, bound, call.AgentID)
		},
	})
	if err != nil {
		return err
	}
	err = server.Run(p.ctx, p.in, p.out)
	if closeErr := db.close(); err == nil {
		err = closeErr
	}
	return err
}

// database is opened by the first call that needs it, so that a client can list
// the tools where there is none to be had. A call after one that failed tries
// again.
type database struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex // guards the following
	store workspace.Store
	svc   *workspace.Service
}

// agent returns the workspace of the agent that the command line has bound, or
// else of the one that the call names. An argument may only narrow.
func (d *database) agent(ctx context.Context, bound, named string) (*workspace.Workspace, error) {
	if bound != "" && named != "" && named != bound {
		return nil, fmt.Errorf("agent_id is not the agent that this server is bound to; leave it out: %w", workspace.ErrInvalid)
	}
	svc, err := d.service(ctx)
	if err != nil {
		return nil, err
	}
	if bound == "" {
		bound = named
	}
	return svc.Agent(bound)
}

func (d *database) service(ctx context.Context) (*workspace.Service, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.svc != nil {
		return d.svc, nil
	}
	store, err := openStore(ctx, d.path, d.log)
	if err != nil {
		return nil, err
	}
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		store.Close()
		return nil, err
	}
	d.store, d.svc = store, svc
	return svc, nil
}

func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.svc == nil {
		return nil
	}
	// A few reads that are not counted are no reason to wait for long, or to fail.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := d.svc.Close(ctx); err != nil {
		d.log.Warn("the last reads were not counted", "err", err)
	}
	return d.store.Close()
}
