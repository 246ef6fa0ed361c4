package setup

import (
	"fmt"
	"os"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
)

// defaultAgent is the agent of an entry of an older setup that nobody has named one for.
const defaultAgent = "default"

// older returns what an older setup, which worked for one project, did to files of projects
// for a client.
func (j *journal) older(c *Client) (all []fileDone) {
	for _, f := range j.Files {
		if f.Client == c.Name && !f.ForAll && f.File != c.File {
			all = append(all, f)
		}
	}
	return all
}

// planOld adds what is to be taken back at the end. A client prefers what is in a project's file.
func (c *Client) planOld(p *Plan) {
	for _, f := range p.journal.older(c) {
		c.Edits = append(c.Edits, &Edit{File: f.File, old: true, Changed: []string{"to be taken back, because the " +
			"server is for all projects now"}})
	}
}

// takeBack takes back what an older setup did to a file. The folder keeps its memory.
func (p *Plan) takeBack(e *Edit) error {
	done := p.journal.entry(e.File)
	if done == nil {
		return nil
	}
	if err := p.record(done); err != nil {
		return err
	}
	did, err := done.takeBack(false)
	if err != nil {
		return err
	}
	e.Changed = []string{did}
	p.journal.Files = slices.DeleteFunc(p.journal.Files, func(f fileDone) bool { return f.File == e.File })
	return p.save()
}

// record notes whose memory an entry of an older setup is, before the entry goes.
func (p *Plan) record(done *fileDone) error {
	c, _ := clientconfig.Find(done.Client)
	args, folder := done.args(), c.ProjectOf(done.File)
	if _, gone := os.Stat(folder); args == nil || gone != nil { // "" is not there either
		return nil
	}
	if err := p.o.Record(folder, args); err != nil {
		return fmt.Errorf("%s stays, because its memory cannot be recorded: %w", done.File, err)
	}
	return nil
}

// args returns the arguments of the server that setup has written into a file; nil if it
// has written none.
func (f fileDone) args() []string {
	if f.Hook {
		return nil
	}
	c, _ := clientconfig.Find(f.Client)
	e, err := c.EntryIn(f.File, f.Left, ServerName)
	if s, found := e.Server(); err == nil && found && len(s.Args) > 0 && s.Args[0] == "mcp" {
		return s.Args
	}
	return nil
}

// kept returns the arguments that the entry of a client keeps, those that setup has written before; nil if
// there are none. What an older setup has written begins anew, unless it named an agent for all projects.
func (p *Plan) kept(c *Client, isOwn bool) (args []string, err error) {
	if p.o.Share || p.o.Anew {
		return nil, nil
	}
	older := p.journal.older(c)
	if isOwn {
		done := p.journal.entry(c.File)
		if args := done.args(); done.ForAll || clientconfig.MemoryOf(args).Agent != defaultAgent {
			return args, nil
		}
		older = append(older, *done)
	}
	for _, f := range older {
		if m := clientconfig.MemoryOf(f.args()); m.Database != "" || m.Tenant != "" {
			return nil, fmt.Errorf("%s has a database or a tenant of its own, and the entry for all projects has one; "+
				"say which, with --db FILE or --tenant NAME", f.File)
		}
	}
	return nil, nil
}
