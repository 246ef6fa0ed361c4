package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type mcpCommand struct {
	Project       *string      `type:"homepath" placeholder:"FOLDER"`
	Home          string       `enum:"yes,no" default:"yes"`
	Tools         toolSet      `env:"SCRATCHPAD_TOOLS" enum:"storage,memory,all" default:"storage"`
	MaxReadTokens flags.Number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"0" placeholder:"N"`
	BriefTokens   flags.Number `env:"SCRATCHPAD_BRIEF_TOKENS" default:"150" placeholder:"N"`
}

// A toolSet is the name of tools that a server has.
type toolSet string

const storageTools toolSet = "storage"

func (s toolSet) tools() mcpserver.Tools {
	switch s {
	case "memory":
		return mcpserver.MemoryTool
	case "all":
		return mcpserver.AllTools
	}
	return mcpserver.StorageTools
}

// Run serves until the client leaves or a signal arrives.
func (c mcpCommand) Run(p *process) (err error) {
	serves, err := c.serves(p)
	if err != nil {
		return err
	}
	if _, _, err := p.tenantName(); err != nil {
		return err
	}
	if _, err := p.databasePath(false); err != nil {
		return err
	}
	var why string
	if p.summarizer, why, err = p.line.Summaries.Choose(); err != nil {
		return err
	}
	p.saySummaries(why)
	serves.db = p.newDatabase(database.HandleOptions{Unwritable: p.sayUnwritable})
	defer func() { err = errors.Join(err, serves.db.Close()) }()
	o := mcpserver.Options{
		Tools: c.Tools.tools(), Bound: serves.bound(), Version: build(), Logger: p.log,
		Summarizer: p.summarizer, MaxReadTokens: int(c.MaxReadTokens), Workspace: serves.workspace,
	}
	serves.files = o.Tools == mcpserver.MemoryTool
	if c.Home == "yes" && o.Tools != mcpserver.MemoryTool && serves.hasHome() {
		o.Home, serves.beside = serves.home, true
	}
	if o.Bound && c.BriefTokens > 0 {
		defer serves.openAhead()()
		o.Brief = func(ctx context.Context) string { return serves.brief(ctx, int(c.BriefTokens)) }
	}
	begun := make(chan mcpserver.Options, 1)
	go func() { begun <- serves.begin(o) }() // it opens the database
	server, err := mcpserver.New(o)
	if now := <-begun; now.Off != o.Off || (now.Home == nil) != (o.Home == nil) {
		server, err = mcpserver.New(now)
	}
	if err != nil {
		return err
	}
	// Nothing but the protocol may reach the client, whatever code prints by mistake.
	out := p.out
	os.Stdout = os.Stderr
	native.IgnorePipeSignal()
	if terminal.Is(p.in) {
		fmt.Fprintf(p.err, "serving MCP on standard input; a client starts this, see scratchpad client-config "+
			"--help; %s ends it\n", endKeys())
	}
	return server.Run(p.ctx, p.in, out)
}

// forAgents returns the error of opening the database as agents may see it. What a server
// says of itself goes to the log.
func (p *process) forAgents(err error) error {
	name, nameErr := p.databasePath(false)
	if nameErr != nil || !pgurl.Is(name) {
		return err
	}
	p.log.Warn("the database cannot be opened", "err", pgurl.Hide(err.Error()))
	kind := workspace.Kind(err)
	if kind == nil || kind == workspace.ErrInvalid {
		kind = workspace.ErrUnsupported // an agent can do nothing about it
	}
	if kind == workspace.ErrBusy {
		return workspace.Errorf(kind, "the database cannot be reached now, nothing happened; try again later")
	}
	return workspace.Errorf(kind, "the database cannot be used; the log of scratchpad mcp says why")
}

// sayUnwritable says why nothing can be stored.
func (p *process) sayUnwritable(why error) {
	fmt.Fprintf(p.err, "scratchpad: files and logs can be read, but nothing can be stored: %s\n",
		terminal.OneLine(why.Error()))
}

// saySummaries says what makes summaries. It goes to standard error if a model gets
// the files, and otherwise to the log.
func (p *process) saySummaries(why string) {
	if p.summarizer != nil && p.summarizer.Remote {
		fmt.Fprintf(p.err, "scratchpad: summaries: %s\n", why)
		return
	}
	p.log.Info("summaries: " + why)
}
