package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
)

// defaultAgent is the agent of an entry of an older setup that nobody has named one for.
const defaultAgent = "default"

// older returns what an older setup, which worked for one project, did to files of projects
// for a client.
func (j *journal) older(c *Client) (all []fileDone) {
	own, _ := clientconfig.FollowLink(c.File)
	for _, f := range j.Files {
		if f.Client == c.Name && !f.ForAll && f.File != own {
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
	if dir := filepath.Dir(e.File); slices.Contains(p.journal.Folders, dir) {
		os.Remove(dir) // one that is not empty stays
	}
	return p.save()
}

// record notes whose memory an entry of an older setup is, before the entry goes.
func (p *Plan) record(done *fileDone) error {
	args := done.args()
	if args == nil {
		return nil
	}
	folder, err := clientconfig.Project(done.File)
	if _, gone := os.Stat(folder); err == nil && gone == nil { // "" is not there either
		err = p.o.Record(folder, args)
	}
	if err != nil {
		return fmt.Errorf("%s stays, because its memory cannot be recorded: %w", done.File, err)
	}
	return nil
}

// args returns the arguments of the server that setup has written into a file; nil if it
// has written none.
func (f fileDone) args() []string {
	c, _ := clientconfig.Find(f.Client)
	if f.Hook {
		return nil
	}
	e, err := c.EntryIn(f.File, f.Left, ServerName)
	if s, found := e.Server(); err == nil && found && len(s.Args) > 0 && s.Args[0] == "mcp" {
		return s.Args
	}
	return nil
}

// kept returns the arguments that the entry of a client keeps: those that setup has written
// before, for the client's file or for those of its projects; nil if there are none.
func (p *Plan) kept(c *Client, have clientconfig.Entry, isOwn bool) (args []string, err error) {
	if p.o.Share || p.o.Anew {
		return nil, nil
	}
	if s, _ := have.Server(); isOwn && len(s.Args) > 0 && s.Args[0] == "mcp" {
		if done := p.journal.of(c.File); done.ForAll || clientconfig.MemoryOf(s.Args).Agent != defaultAgent {
			return s.Args, nil
		}
		if c.Folder != "" {
			c.Notes = append(c.Notes, "So far it had one memory for all projects, that of the agent default. In a "+
				"project that is under ~/ from now on.")
		}
		return forProjects(s.Args, c.Folder), nil
	}
	from := ""
	for _, f := range p.journal.older(c) {
		switch next := forProjects(f.args(), c.Folder); {
		case next == nil:
		case args == nil:
			args, from = next, f.File
		case !slices.Equal(args, next):
			return nil, fmt.Errorf("%s and %s have different databases or limits, and the entry for all projects has "+
				"one; say which, with --db FILE", from, f.File)
		}
	}
	return args, nil
}

// forProjects returns the arguments of a server with the folder of a project in place of
// an agent.
func forProjects(args []string, folder string) []string {
	args = slices.Clone(args)
	if i := slices.Index(args, "--agent"); folder != "" && i >= 0 && i+1 < len(args) {
		args[i], args[i+1] = "--project", folder
	}
	return args
}
