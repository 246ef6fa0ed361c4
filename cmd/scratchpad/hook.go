package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/brief"
	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type sessionHook struct {
	BriefText flags.Number `default:"1000" placeholder:"N"`
	Plugin    bool
}

// hookTime is how long a client waits for its hook at most, but for the start of the process.
const hookTime = 900 * time.Millisecond

// Run tells the client that a session of its agent begins with. A hook that fails must not keep
// a session from beginning, so Run says what is wrong and succeeds.
func (c sessionHook) Run(p *process) error {
	if terminal.Is(p.in) {
		p.note("a client runs this when a session begins; scratchpad brief prints the same for people\n")
		return nil
	}
	if p.line.Agent != nil && !p.onLine("agent") {
		p.note("scratchpad: the variable SCRATCHPAD_AGENT is ignored, because clients pass it on for every project\n")
		p.line.Agent = nil
	}
	native.IgnorePipeSignal()
	ctx, cancel := context.WithTimeout(p.ctx, hookTime)
	defer cancel()
	limited := *p
	limited.ctx = ctx
	if err := c.run(&limited); err != nil {
		p.note("scratchpad: the session begins without its memory: %.500s\n", terminal.OneLine(failure.Text(err)))
	}
	return nil
}

// run tells, and then moves the mark. What waits for a file or another process after the time is
// over is left behind: the process ends.
func (c sessionHook) run(p *process) error {
	var t told
	err := within(p.ctx, func() (err error) {
		t, err = c.tell(p)
		return err
	})
	if err != nil || len(t.answer) == 0 {
		return err
	}
	err = within(p.ctx, func() error {
		_, err := p.out.Write(t.answer)
		return err
	})
	if err != nil {
		return err
	}
	return p.moveMark(t.mark, t.cursor, func(p *process, cursor int64) error {
		return within(p.ctx, func() error {
			return p.use(p.openDatabase, func(db *database.Handle) error {
				ws, err := db.Agent(p.ctx, t.agent)
				if err != nil {
					return err
				}
				return ws.SetMark(p.ctx, t.mark, cursor)
			})
		})
	})
}

// within runs a function, and leaves it behind when ctx ends.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return workspace.Errorf(workspace.ErrBusy, "it took longer than %v; another process may keep the database, "+
			"no event came on standard input, or nobody reads the output", hookTime)
	}
}

// told is what a hook tells, and of what.
type told struct {
	answer []byte // in the shape that the client takes; none: nothing
	agent  string
	mark   string // that moves to cursor; "": none
	cursor int64  // 0: the mark stays
}

func (c sessionHook) tell(p *process) (t told, err error) {
	event, err := readEvent(p.in)
	if err != nil || !event.begins() {
		return t, err
	}
	if c.Plugin && hasHookOfSetup() {
		if event.Source == "startup" {
			t.answer = []byte(connectedTwice)
		}
		return t, nil
	}
	folder := event.folder()
	agent, named, err := p.agentName()
	if err == nil && !named && event.isCursor() {
		var ok bool
		if agent, ok, err = p.servedToCursor(folder); err != nil || !ok {
			return t, err
		}
		named = agent != ""
	}
	if err != nil {
		return t, err
	}
	db := p.newDatabase(database.HandleOptions{Look: true})
	defer func() { err = errors.Join(err, db.Close()) }()
	var found project.Project
	if !named {
		if found, err = p.project(p.ctx, db, folder); err != nil || found.Off {
			return t, err
		}
		agent = found.Agent
	}
	if t.agent = agent; event.Source != "compact" { // which begins no session: it has to be told what is there
		t.mark = event.client()
	}
	b, err := p.readBrief(p.ctx, db, agent, t.mark, int(c.BriefText), found.Name != "")
	if errors.Is(err, workspace.ErrNotFound) { // no database yet: a hook runs before the first write too
		b, err = brief.Nothing, nil
	}
	if err != nil {
		return t, err
	}
	b.Offer, b.Title = found.OfferText(), titleOf(agent, found.Name)
	if b.Since != b.Cursor { // else the mark is there
		t.cursor = b.Cursor
	}
	t.answer, err = event.answer(b.Text(hookTokens, briefCharacters))
	return t, err
}

// connectedTwice is what Claude Code shows the user if both the plugin and setup have put a hook there.
const connectedTwice = `{"systemMessage":"` + clientconfig.ConnectedTwice + `"}` + "\n"

// hasHookOfSetup reports whether Claude Code also runs the hook that setup has written.
func hasHookOfSetup() bool {
	client, _ := clientconfig.Find("claude-code")
	return clientconfig.HasHook(client.HookFile())
}

// titleOf says whose memory it is and what reaches it: the first text that a new session sees.
func titleOf(agent, project string) string {
	whose := "for everything"
	switch {
	case project != "":
		whose = "of project " + project
	case agent != defaultAgent:
		whose = "of agent " + agent
	}
	return fmt.Sprintf("Scratchpad, the memory %s (tools of the MCP server %s):", whose, setup.ServerName)
}

// hookTokens is about how many tokens a hook tells at most, beside the text of START.md.
const hookTokens = 300
