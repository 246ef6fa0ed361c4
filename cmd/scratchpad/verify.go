package main

import (
	"fmt"
	"io"
	"time"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type verifyCommand struct{}

// verified is the answer of verify.
type verified struct {
	Database string   `json:"database"`
	OK       bool     `json:"ok"`
	Agents   int64    `json:"agents"` // those that agents ls lists
	Deleted  int64    `json:"deleted_agents,omitempty"`
	Versions int64    `json:"versions"`
	Entries  int64    `json:"entries"`
	Bytes    int64    `json:"bytes"`
	Seconds  float64  `json:"seconds"`
	Note     string   `json:"note,omitempty"`
	Problems []string `json:"problems"`
}

// Run verifies the database.
func (verifyCommand) Run(p *process) error {
	name, err := p.storedDatabase()
	if err != nil {
		return err
	}
	store, err := database.OpenReadOnly(p.ctx, name, p.databaseOptions())
	if err != nil {
		return err
	}
	defer store.Close()
	began := time.Now()
	show, end := terminal.Progress(p.err, "verifying")
	report, note, err := doctor.Verify(p.ctx, store, show)
	end()
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	if err != nil {
		return failure.OfDatabase(err)
	}
	v := verified{Note: note, Database: pgurl.Short(name), OK: len(report.Problems) == 0,
		Agents: report.Owners - report.Deleted, Deleted: report.Deleted, Versions: report.Versions,
		Entries: report.Entries,
		Bytes:   report.Bytes, Seconds: time.Since(began).Seconds(), Problems: append([]string{}, report.Problems...)}
	if err := p.answer(v, func(out io.Writer) error { return p.printVerified(out, v) }); err != nil {
		return err
	}
	if !v.OK {
		what := "file"
		if pgurl.Is(name) {
			what = "one"
		}
		return failure.OfDatabase(workspace.Errorf(workspace.ErrCorrupt,
			"verify found damage; restore the database from a backup, and keep this %s, which was not changed: the "+
				"rest of it can still be read", what))
	}
	return nil
}

func (p *process) printVerified(out io.Writer, v verified) error {
	for _, text := range v.Problems {
		fmt.Fprintln(out, p.paint("problem", color.FgRed)+"  "+terminal.OneLine(text))
	}
	sum := p.paint("ok", color.FgGreen)
	if !v.OK {
		sum = p.paint(fmt.Sprintf("problems: %d", len(v.Problems)), color.FgRed)
	}
	agents := phrase.Plural(v.Agents, "agent")
	if v.Deleted > 0 {
		agents += fmt.Sprintf(" (and %d deleted)", v.Deleted)
	}
	fmt.Fprintf(out, "%s  %s, %s, %s, %s in %.1f s: %s\n",
		sum, agents, phrase.Plural(v.Versions, "version"), phrase.Entries(v.Entries), phrase.Bytes(v.Bytes), v.Seconds,
		terminal.OneLine(v.Database))
	if v.Note != "" {
		fmt.Fprintln(out, "note  "+v.Note)
	}
	return nil
}
