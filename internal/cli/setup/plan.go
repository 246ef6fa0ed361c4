package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
)

// ServerName is the name of the server in the clients.
const ServerName = "scratchpad"

// Options of [Make].
type Options struct {
	Journal   string   // the file that says what was done, for Undo
	Program   string   // the file of the running program
	Installed string   // the same program by the name that it was called with; used if its folder is on the PATH
	Bin       string   // the folder for the program; "": chosen
	Clients   []string // their names; empty: those that are installed
	Project   string   // the folder of the project, for clients with a file in it

	DefaultAgent string // the agent of a command that names none

	// Entry returns what a client's file is to have for this program, which is at a path.
	// keep says that the entry there may be trusted, so that its arguments stay.
	Entry func(c clientconfig.Client, file, program string, keep bool) (Entry, error)

	// Database is the file of the database, and DatabaseFiles all that belong to it. They
	// may be empty.
	Database      string
	DatabaseFiles []string
}

// An Entry is what a client's file gets.
type Entry struct {
	Server clientconfig.Server
	Hook   string       // a command for the hook of Claude Code; "": none
	Memory string       // a sentence: whose memory it is
	Agent  string       // the agent whose memory it is
	Record func() error // records that the agent belongs to the project; called before the file is written
}

// A Plan is what setup would do.
type Plan struct {
	Program Program
	Clients []*Client

	o       Options
	journal journal
}

// A Client is what setup does for one client.
type Client struct {
	Client clientconfig.Client
	File   string // of the server
	Entry  Entry
	Edits  []*Edit
	Err    error // why nothing can be done, or what went wrong
}

// An Edit is a change of one file.
type Edit struct {
	File    string   `json:"file"`
	Changed []string `json:"changed"`          // a sentence each; none: nothing is to be done
	Backup  string   `json:"backup,omitempty"` // the copy of the file as it was; "" if it is new or not changed

	hook   bool
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
	names := o.Clients
	if len(names) == 0 {
		for _, name := range clientconfig.Names() {
			if c, _ := clientconfig.Find(name); c.Installed() {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		c, found := clientconfig.Find(name)
		if !found {
			return nil, fmt.Errorf("there is no client %q", name)
		}
		planned := &Client{Client: c}
		planned.Err = planned.plan(o, j, p.Program.Path)
		p.Clients = append(p.Clients, planned)
	}
	return p, nil
}

func (c *Client) plan(o Options, j journal, program string) (err error) {
	if c.File, err = c.Client.FileIn(o.Project); err != nil {
		return err
	}
	project, err := clientconfig.Project(c.File)
	if err != nil {
		return err
	}
	if err := clientconfig.Inside(c.File, project); err != nil {
		return err
	}
	have, err := c.Client.ReadEntry(c.File, ServerName)
	if err != nil {
		return err
	}
	keep := have.Exists() && (project == "" || j.wrote(c.Client, c.File, have))
	if c.Entry, err = o.Entry(c.Client, c.File, program, keep); err != nil {
		return err
	}
	if have.Exists() && !keep {
		if err := c.checkForeign(have); err != nil {
			return err
		}
	}
	add := func(hook bool, change clientconfig.Change) {
		c.Edits = append(c.Edits, &Edit{File: change.File, Changed: []string{}, hook: hook,
			change: change.Inside(project)})
	}
	add(false, c.Client.AddServer(c.File, ServerName, c.Entry.Server))
	if c.Entry.Hook != "" {
		add(true, clientconfig.AddHook(clientconfig.HookFile(o.Project), c.Entry.Hook))
	}
	for _, e := range c.Edits {
		preview, err := e.change.Preview()
		if err != nil {
			return err
		}
		e.File, e.Changed = preview.File, append(e.Changed, preview.Changed...)
	}
	return nil
}

// checkForeign returns an error unless an entry that setup did not write is exactly the one
// that setup writes. It may come from a repository, with the program and the variables of
// somebody else.
func (c *Client) checkForeign(have clientconfig.Entry) error {
	snippet := c.Client.Snippet(ServerName, c.Entry.Server)
	want, err := c.Client.EntryIn(c.File, []byte(snippet), ServerName)
	if err != nil || have.Equal(want) {
		return err
	}
	return foreign{fmt.Sprintf("%s has a server %s that setup did not write: %s", c.File, ServerName, have)}
}

// foreign is an error of the kind [clientconfig.ErrTaken].
type foreign struct{ text string }

func (f foreign) Error() string { return f.text }

func (foreign) Unwrap() error { return clientconfig.ErrTaken }

// Changes reports whether the plan changes anything.
func (c *Client) Changes() bool {
	for _, e := range c.Edits {
		if c.Err == nil && len(e.Changed) > 0 {
			return true
		}
	}
	return false
}

// Changes reports whether the plan changes anything.
func (p *Plan) Changes() bool {
	changes := p.Program.Action != Keep
	for _, c := range p.Clients {
		changes = changes || c.Changes()
	}
	return changes
}

// Apply makes the changes. What goes wrong with one client is in its Err, and the others
// go on. An error of Apply itself means that the program is not in its place, or that the
// journal cannot be written.
func (p *Plan) Apply(ctx context.Context) error {
	if !p.Changes() {
		return nil
	}
	unlock, err := p.begin()
	if err != nil {
		return fmt.Errorf("nothing was changed, because setup cannot write down what it does: %w", err)
	}
	defer unlock()
	isOwn := p.ownsDatabase()
	if p.Program.Action != Keep {
		if err := p.Program.install(&p.journal, p.save); err != nil {
			return fmt.Errorf("install the program at %s: %w; name another folder with --bin", p.Program.Path, err)
		}
	}
	for _, c := range p.Clients {
		if c.Changes() && ctx.Err() == nil {
			c.Err = p.apply(c)
		}
	}
	if isOwn {
		p.noteDatabase()
	}
	return errors.Join(ctx.Err(), p.save())
}

// begin reads the journal once more, now that no other setup writes it, and notes its
// folder.
func (p *Plan) begin() (unlock func(), err error) {
	before := p.journal
	before.willMake(p.o.Journal)
	if err := os.MkdirAll(filepath.Dir(p.o.Journal), 0o700); err != nil {
		return nil, err
	}
	if unlock, err = takeTurn(p.o.Journal); err != nil {
		return nil, err
	}
	if p.journal, err = readJournal(p.o.Journal); err == nil {
		p.journal.addFolders(before.Folders)
		err = p.save()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

func (p *Plan) save() error { return p.journal.save(p.o.Journal) }

func (p *Plan) apply(c *Client) error {
	if c.Entry.Record != nil {
		if err := c.Entry.Record(); err != nil {
			return err
		}
	}
	for _, e := range c.Edits {
		if len(e.Changed) == 0 {
			continue
		}
		preview, err := e.change.Preview()
		if err != nil {
			return err
		}
		p.journal.willMake(preview.File)
		done := p.journal.begin(c.Client.Name, e.hook, preview)
		if err := p.save(); err != nil {
			return err
		}
		e.Changed = append([]string{}, preview.Changed...)
		if e.Backup, err = preview.Write(); err != nil {
			return err
		}
		if e.Backup != "" {
			done.Backups = append(done.Backups, e.Backup)
		}
		if err := p.save(); err != nil {
			return err
		}
	}
	return nil
}

// begin notes an edit that is about to be made.
func (j *journal) begin(client string, hook bool, p clientconfig.Preview) *fileDone {
	done := j.entry(p.File)
	found := done != nil
	if !found {
		j.Files = append(j.Files, fileDone{File: p.File})
		done = &j.Files[len(j.Files)-1]
	}
	switch {
	case found && string(p.Old) == string(done.Left):
	case found && (done.Mixed || string(p.Old) != string(done.Was)):
		done.Mixed = true
	default:
		done.Existed, done.Mode, done.Was, done.Mixed = p.Exists, p.Mode, p.Old, false
	}
	done.Client, done.Hook, done.Left = client, hook, p.New
	return done
}

// ownsDatabase reports whether there is no database yet, or one that only setup has
// written to.
func (p *Plan) ownsDatabase() bool {
	if p.o.Database == "" {
		return false
	}
	sum, err := sumOf(p.o.Database)
	was := p.journal.Database
	return errors.Is(err, fs.ErrNotExist) || err == nil && was != nil && was.Path == p.o.Database && was.Sum == sum
}

// noteDatabase notes how setup has left the database. Undo removes one that nobody else
// has written to.
func (p *Plan) noteDatabase() {
	if sum, err := sumOf(p.o.Database); err == nil {
		p.journal.Database = &databaseDone{Path: p.o.Database, Files: p.o.DatabaseFiles, Sum: sum}
	}
}
