package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/transfer"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type importCommand struct {
	Dir    string `arg:"" type:"path" help:"An export, or another folder of text files."`
	DryRun bool   `help:"Show what would change, and change nothing."`
}

// Help is shown by scratchpad import --help.
func (importCommand) Help() string {
	return `A file that differs becomes a new version, and one with the same bytes is left alone. Of a log, the entries that are missing are appended. Nothing is deleted. A file that the agent never had gets all the versions that the export has, with their numbers, times and authors.

If DIR has no manifest.json, each text file in it becomes a file under its relative name. This is how to bring Markdown that you have.

What cannot be imported, such as links, binary files and names that --paths does not allow, is listed, and the exit code is 1. An import that was interrupted, or that met a limit, can be run again: it goes on where it stopped. --dry-run does not check limits.

Examples:

  scratchpad export memory && scratchpad import memory --agent copy --dry-run
  scratchpad import memory --agent copy`
}

// imported is the answer of import.
type imported struct {
	Dir     string           `json:"dir"`
	Agent   string           `json:"agent_id"`
	DryRun  bool             `json:"dry_run,omitempty"`
	Export  bool             `json:"export"` // the folder has a manifest
	Changes []importedChange `json:"changes"`
	Same    int64            `json:"same"`
	LeftOut []importedName   `json:"left_out"`
	Omitted int64            `json:"left_out_more,omitempty"`
}

type importedChange struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"` // file, log
	New      bool   `json:"new"`
	Version  int64  `json:"version,omitempty"`
	Versions int64  `json:"versions,omitempty"`
	Entries  int64  `json:"entries,omitempty"`
}

type importedName struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Run imports a folder.
func (c importCommand) Run(p *process) error {
	open := p.openDatabase
	if c.DryRun {
		open = p.openToLook
	}
	db, err := open()
	if c.DryRun && errors.Is(err, workspace.ErrNotFound) { // everything would be new
		inMemory := inMemory
		p.line.DB = &inMemory
		db, err = p.openDatabase()
	}
	if err != nil {
		return err
	}
	return p.use(func() (*database, error) { return db, nil }, func(db *database) error {
		ws, err := db.importing()
		if err != nil {
			return err
		}
		show, end := terminal.Progress(p.err, "importing", terminal.Bytes)
		r, err := transfer.Import(p.ctx, ws, c.Dir, transfer.ImportOptions{DryRun: c.DryRun, Paths: p.line.Paths.PathRule, Words: words, Progress: show})
		end()
		return c.report(p, ws.Agent(), r, err)
	})
}

// importing returns a workspace whose writes remove no version that a server with a higher
// limit has kept, unless --max-versions was given. Its reads are not counted.
func (d *database) importing() (*workspace.Workspace, error) {
	ws, err := d.workspace()
	if err != nil {
		return nil, err
	}
	svc, err := d.service(d.p.ctx)
	if err != nil {
		return nil, err
	}
	look, err := svc.Look(ws.Agent())
	if err != nil {
		return nil, err
	}
	var most int64
	for o := (workspace.ListOptions{}); !d.p.versionsGiven; {
		files, err := look.ListFiles(d.p.ctx, o)
		if err != nil {
			return nil, err
		}
		for _, f := range files.Files {
			most = max(most, f.Versions)
		}
		if o.After = files.Next; !files.More {
			break
		}
	}
	if err := d.raiseVersions(most); err != nil {
		return nil, err
	}
	if svc, err = d.service(d.p.ctx); err != nil {
		return nil, err
	}
	if look, err = svc.Look(ws.Agent()); err != nil {
		return nil, err
	}
	return look.As(ws.Author()), nil
}

// errLeftOut says that a part of a folder was not imported.
var errLeftOut = errors.New("could not be imported")

// report answers with what an import did, also if it ended with an error.
func (c importCommand) report(p *process, agent string, r transfer.Imported, failed error) error {
	a := imported{Dir: c.Dir, Agent: agent, DryRun: c.DryRun, Export: r.Export, Changes: []importedChange{}, Same: r.Same, LeftOut: []importedName{}, Omitted: r.Omitted}
	for _, ch := range r.Changes {
		kind := "file"
		if ch.Log {
			kind = "log"
		}
		a.Changes = append(a.Changes, importedChange{ch.Path, kind, ch.New, ch.Version, ch.Versions, ch.Entries})
	}
	for _, l := range r.LeftOut {
		a.LeftOut = append(a.LeftOut, importedName(l))
	}
	if failed != nil && len(a.Changes)+len(a.LeftOut) == 0 {
		return failed
	}
	if err := p.answer(a, a.print); err != nil {
		return errors.Join(failed, err)
	}
	left := int64(len(a.LeftOut)) + a.Omitted
	switch {
	case failed != nil && !c.DryRun:
		return followed{failed, "what was imported stays; run the import again to go on"}
	case failed != nil:
		return failed
	case left > 0:
		return fmt.Errorf("%s %w; the list says why", phrase.Plural(left, "name"), errLeftOut)
	}
	return nil
}

// print writes a line for each path that changed or was left out, and a sum.
func (a imported) print(out io.Writer) error {
	would := ""
	if a.DryRun {
		would = "would be "
	}
	news, changed := 0, 0
	for _, c := range a.Changes {
		what := "changed"
		if changed++; c.New {
			what = "new"
			news, changed = news+1, changed-1
		}
		detail := fmt.Sprintf("version %d", c.Version)
		switch {
		case c.Kind == "log":
			detail = phrase.Entries(c.Entries) + " " + would + "added"
		case a.DryRun:
			detail = phrase.Plural(c.Versions, "version") + " " + would + "added"
		case c.Versions > 1:
			detail += fmt.Sprintf(", %d versions restored", c.Versions)
		}
		fmt.Fprintf(out, "%-8s %-5s %s: %s\n", what, c.Kind, terminal.OneLine(c.Path), detail)
	}
	for _, l := range a.LeftOut {
		fmt.Fprintf(out, "%-8s %s: %s\n", "left out", terminal.OneLine(l.Name), terminal.OneLine(l.Reason))
	}
	_, err := fmt.Fprintf(out, "agent %s: %d %snew, %d %schanged, %d the same, %d left out\n", a.Agent, news, would, changed, would, a.Same, int64(len(a.LeftOut))+a.Omitted)
	return err
}
