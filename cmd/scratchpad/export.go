package main

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type exportCommand struct {
	Dir      string `arg:"" type:"path" help:"The folder. It must be empty or absent."`
	Versions bool   `help:"Export the older versions of files too, and deleted files."`
}

// exported is the answer of export.
type exported struct {
	Dir   string `json:"dir"`
	Agent string `json:"agent_id"`
	transfer.Exported
}

// Run exports the agent's files and logs.
func (c exportCommand) Run(p *process) error {
	id, err := p.databaseID()
	if err != nil {
		return err
	}
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		show, end := terminal.Progress(p.err, "exporting")
		sum, err := transfer.Export(p.ctx, ws, c.Dir, transfer.ExportOptions{Versions: c.Versions, Database: id,
			Progress: show})
		end()
		if err != nil && transfer.IsHalf(c.Dir) && !errors.Is(err, workspace.ErrConflict) {
			return failure.Followed(err, "the folder is not a whole export; remove it, and run the export again")
		}
		if err != nil {
			return err
		}
		a := exported{c.Dir, ws.Agent(), sum}
		gone := ""
		if a.Deleted > 0 {
			gone = phrase.Plural(a.Deleted, "deleted file") + ", "
		}
		return p.say(a, "%s  agent %s: %s, %s%s, %s, %s, %s", terminal.OneLine(a.Dir), a.Agent,
			phrase.Plural(a.Files, "file"), gone,
			phrase.Plural(a.Versions, "version"), phrase.Plural(a.Logs,
				"log"), phrase.Entries(a.Entries), phrase.Bytes(a.Bytes))
	})
}

// databaseID returns the id of the database. The first export gives it one, if it can be
// written.
func (p *process) databaseID() (id string, err error) {
	read := func(db *database.Handle) (err error) {
		id, err = db.Opened().DatabaseID(p.ctx)
		return err
	}
	if err = p.use(p.openToLook, read); errors.Is(err, workspace.ErrReadOnly) {
		err = p.use(p.openDatabase, read)
	}
	if errors.Is(err, workspace.ErrReadOnly) || errors.Is(err, workspace.ErrStorageFull) {
		return "", nil
	}
	return id, err
}
