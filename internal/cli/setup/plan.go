package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ServerName is the name of the server in the clients.
const ServerName = "scratchpad"

// Options of [Make].
type Options struct {
	Journal   string   // the file that says what was done, for Undo
	Program   string   // the file of the running program
	Installed string   // the same program by the name that it was called with; used if its folder is on the PATH
	Bin       string   // the folder for the program; "": chosen
	Clients   []string // their names; empty: those that are installed, or were set up before
	Here      string   // the folder where setup runs, or the top folder of its repository
	IsRepo    bool     // Here is that of a repository
	Project   string   // a folder whose file of Cursor is written too; "": none
	Anew      bool     // keep no arguments of an entry that is there
	Share     bool     // write the file for a team, in Project, and nothing else

	// Entry returns what a client's file is to have for this program, which is at a path.
	// kept are the arguments of a server that setup has written before; nil: none.
	Entry func(c clientconfig.Client, program string, kept []string) (Entry, error)

	// Record notes that a folder belongs to the agent that the arguments of a server name. An
	// older setup wrote them into a file of the folder, and they are about to go.
	Record func(folder string, args []string) error
}

// An Entry is what a client's file gets.
type Entry struct {
	Server clientconfig.Server
	Hook   string // a command for the hook of a client that has one
	Memory string // a sentence: whose memory it is
	Agent  string // the agent whose memory it is; "": that of the project
}

// A Plan is what setup would do, and then what it has done.
type Plan struct {
	Program Program   `json:"program"`
	Clients []*Client `json:"clients"`
	Changed bool      `json:"changed"` // by Apply, or would be

	o       Options
	journal journal
}

// A Client is what setup does for one client.
type Client struct {
	clientconfig.Client `json:"-"`

	Key   string   `json:"client"` // its name
	File  string   `json:"file"`   // of the server
	Agent string   `json:"agent_id,omitempty"`
	Edits []*Edit  `json:"edits"`
	Tools []string `json:"tools,omitempty"` // of the server that was started, see Check
	Notes []string `json:"notes,omitempty"` // what the user has to know or to do, a sentence or more each
	Error string   `json:"error,omitempty"` // the text of Err, which the caller sets

	Entry     Entry `json:"-"`
	Err       error `json:"-"` // why nothing can be done, or what went wrong
	OfProject bool  `json:"-"` // the file is that of a project, and not the user's own
}

// An Edit is a change of one file.
type Edit struct {
	File    string   `json:"file"`
	Changed []string `json:"changed"` // a sentence each; none: nothing is to be done

	hook   bool
	old    bool // what an older setup did to the file is taken back
	change clientconfig.Change
}

// Make looks at what is there, and changes nothing. A client whose file cannot be edited
// has an error, and the others are not affected.
func Make(o Options) (*Plan, error) {
	j, err := readJournal(o.Journal)
	if err != nil {
		return nil, err
	}
	p := &Plan{o: o, journal: j}
	if p.Program, err = planProgram(o); err != nil {
		return nil, err
	}
	p.Changed = p.Program.Action != Keep && !o.Share
	if o.Share {
		p.Program.Action = Keep
		c, _ := clientconfig.Find("claude-code")
		p.add(c, c.ProjectFile(o.Project), true)
		return p, nil
	}
	for _, name := range clientconfig.Names() {
		c, _ := clientconfig.Find(name)
		isMeant := slices.Contains(o.Clients, name)
		if len(o.Clients) == 0 {
			known := slices.ContainsFunc(j.Files, func(f fileDone) bool { return f.Client == name })
			isMeant = known || c.Installed()
		}
		if !isMeant {
			continue
		}
		file, err := c.File()
		if err != nil {
			return nil, err
		}
		p.add(c, file, false)
		if shared := c.ProjectFile(o.Project); name == "cursor" && o.Project != "" && shared != file {
			c.Folder = clientconfig.WorkspaceFolder
			p.add(c, shared, true)
		}
	}
	return p, nil
}

// add plans what is to be done for a client.
func (p *Plan) add(of clientconfig.Client, file string, ofProject bool) {
	c := &Client{Client: of, Key: of.Name, File: file, OfProject: ofProject}
	if c.Err = c.plan(p); c.Err != nil || c.Edits == nil {
		c.Edits = []*Edit{}
	}
	p.Clients, p.Changed = append(p.Clients, c), p.Changed || c.changes()
}

func (c *Client) plan(p *Plan) error {
	program := p.Program.Path
	if p.o.Share {
		program = "scratchpad" // the team's computers have it elsewhere
	}
	err := clientconfig.CheckLink(c.File)
	if dir := filepath.Dir(c.File); err == nil && c.OfProject && dir != p.o.Project { // the user has named that one
		err = clientconfig.CheckLink(dir)
	}
	if err != nil {
		return err
	}
	have, err := c.ReadEntry(c.File, ServerName)
	if err != nil {
		return err
	}
	done := p.journal.entry(c.File)
	isOwn := have.Exists() && done != nil && !done.Hook && done.isOwn(c.Client, have)
	kept, err := p.kept(c, isOwn)
	if err != nil {
		return err
	}
	if c.Entry, err = p.o.Entry(c.Client, program, kept); err != nil {
		return err
	}
	if c.Agent = c.Entry.Agent; c.ByHand {
		c.Notes = append(c.Notes, fmt.Sprintf("Put this into %s yourself, because setup does not know that file well "+
			"enough to write it:\n%s", c.File, c.Snippet(ServerName, c.Entry.Server)))
		return nil
	}
	if !c.OfProject && c.noteByPlugin(p, have) {
		return nil
	}
	if have.Exists() && !isOwn {
		if err := c.checkForeign(have); err != nil {
			return err
		}
	}
	c.Edits = append(c.Edits, &Edit{change: c.AddServer(c.File, ServerName, c.Entry.Server)})
	if !c.OfProject {
		if err := c.planHook(); err != nil {
			return err
		}
	}
	for _, e := range c.Edits {
		preview, err := e.change.Preview()
		if err != nil {
			return err
		}
		e.File, e.Changed = preview.File, append([]string{}, preview.Changed...)
	}
	if !c.OfProject {
		c.planOld(p)
	}
	return c.note(p)
}

// planHook adds the edit of the file with the hooks.
func (c *Client) planHook() error {
	file := c.HookFile()
	if file == "" {
		return nil
	}
	if c.Name == "codex" {
		byHand, err := clientconfig.HookInTOML(c.File, c.Entry.Hook)
		if err != nil {
			return err
		}
		c.Notes = append(c.Notes, "Codex runs the hook only after you have agreed: type /hooks in Codex, and trust it.")
		if byHand != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("%s has hooks already. Add this one by hand:\n%s", c.File, byHand))
			return nil
		}
	}
	c.Edits = append(c.Edits, &Edit{hook: true, change: clientconfig.AddHook(file, c.Entry.Hook)})
	return nil
}

// checkForeign returns an error unless an entry that setup did not write is exactly the one
// that setup writes. It may come from a repository, with the program and the variables of
// somebody else.
func (c *Client) checkForeign(have clientconfig.Entry) error {
	snippet := c.Snippet(ServerName, c.Entry.Server)
	want, err := c.EntryIn(c.File, []byte(snippet), ServerName)
	if err != nil || have.Equal(want) {
		return err
	}
	how := map[string]string{
		"claude-code": " with claude mcp remove -s user " + ServerName + ",",
		"codex":       " with codex mcp remove " + ServerName + ",",
	}[c.Name]
	if c.OfProject {
		how = ""
	}
	return clientconfig.Errorf(store.ErrConflict, "%s has a server %s that setup did not write: %s; remove that one%s "+
		"and run setup again, or add what scratchpad client-config %s prints by another name", c.File, ServerName, have,
		how, c.Name)
}

func (c *Client) changes() bool {
	return slices.ContainsFunc(c.Edits, func(e *Edit) bool { return len(e.Changed) > 0 })
}

// Apply makes the changes. What goes wrong with one client is in its Err, and the others
// go on. An error of Apply itself means that the program is not in its place, or that the
// journal cannot be written.
func (p *Plan) Apply(ctx context.Context) error {
	if !p.Changed {
		return nil
	}
	unlock, err := p.begin()
	if err != nil {
		return fmt.Errorf("nothing was changed, because setup cannot write down what it does: %w", err)
	}
	defer unlock()
	if p.Program.Action != Keep {
		if err := p.Program.install(&p.journal, p.save); err != nil {
			return fmt.Errorf("install the program at %s: %w; name another folder with --bin", p.Program.Path, err)
		}
	}
	for _, c := range p.Clients {
		if c.changes() && ctx.Err() == nil {
			c.Err = p.apply(ctx, c)
		}
	}
	return errors.Join(ctx.Err(), p.save())
}

// begin reads the journal once more, now that no other setup writes it.
func (p *Plan) begin() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.o.Journal), 0o700); err != nil {
		return nil, err
	}
	if unlock, err = takeTurn(p.o.Journal); err != nil {
		return nil, err
	}
	if p.journal, err = readJournal(p.o.Journal); err != nil {
		unlock()
	}
	return unlock, err
}

func (p *Plan) save() error { return p.journal.save(p.o.Journal) }

// apply makes the edits of a client, and then takes back what an older setup did. If an edit
// fails, the client keeps what it has.
func (p *Plan) apply(ctx context.Context, c *Client) error {
	var errs []error
	for _, e := range c.Edits {
		switch {
		case len(e.Changed) == 0:
		case e.old:
			errs = append(errs, p.takeBack(e))
		default:
			if err := p.edit(ctx, c, e); err != nil {
				return err
			}
		}
	}
	return errors.Join(errs...)
}

func (p *Plan) edit(ctx context.Context, c *Client, e *Edit) error {
	preview, err := e.change.Preview()
	if err != nil {
		return err
	}
	if done := p.journal.entry(preview.File); c.OfProject && done != nil && !done.ForAll {
		if err := p.record(done); err != nil {
			return err
		}
	}
	done := p.journal.begin(c.Name, e.hook, preview)
	if err := p.save(); err != nil {
		return err
	}
	e.Changed = append([]string{}, preview.Changed...)
	if claude := claudeFor(preview.File); claude != "" && !e.hook {
		done.Left, err = c.byClaude(ctx, claude, preview)
	} else {
		err = preview.Write()
	}
	if done.Before = nil; err != nil {
		done.Left = preview.Old // Apply saves it
		return err
	}
	return p.save()
}

// begin notes an edit that is about to be made.
func (j *journal) begin(client string, hook bool, p clientconfig.Preview) *fileDone {
	done := j.entry(p.File)
	if done == nil {
		j.Files = append(j.Files, fileDone{File: p.File, Was: p.Old, Left: p.Old})
		done = &j.Files[len(j.Files)-1]
	}
	if !done.hasLeft(p.Old) && string(p.Old) != string(done.Was) {
		done.Mixed = true
	}
	done.Client, done.Hook, done.Before, done.Left = client, hook, p.Old, p.New
	done.ForAll, done.Existed = true, done.Was != nil
	if info, err := os.Stat(p.File); err == nil {
		done.Mode = info.Mode().Perm()
	}
	return done
}
