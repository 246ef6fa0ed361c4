package main

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
)

type migrateCommand struct {
	From string `type:"homepath" placeholder:"DB"`
	To   string `type:"homepath" placeholder:"DB"`
}

// migrated is the answer of migrate.
type migrated struct {
	From string `json:"from"`
	To   string `json:"to"`
	dbcopy.Report
	Seconds float64 `json:"seconds"`
}

// Run copies the database.
func (c migrateCommand) Run(p *process) (err error) {
	from, fromName, err := c.name(p, c.From)
	if err != nil {
		return err
	}
	if c.To == "" {
		return invalid("name the new database with --to")
	}
	to, toName, err := c.name(p, c.To)
	if err != nil {
		return err
	}
	o := p.databaseOptions()
	o.Unfinished = true
	source, err := database.OpenReadOnly(p.ctx, from, o)
	if err != nil {
		return err
	}
	defer source.Close()
	// A target that is not empty does not change by a byte.
	if target, err := database.OpenReadOnly(p.ctx, to, o); err == nil {
		if err := errors.Join(dbcopy.Target(p.ctx, target, fromName), target.Close()); err != nil {
			return err
		}
	}
	target, err := database.Open(p.ctx, to, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	began := time.Now()
	copying, endCopying := terminal.Progress(p.err, "copying")
	verifying, endVerifying := terminal.Progress(p.err, "verifying")
	r, err := dbcopy.Copy(p.ctx, source, target, dbcopy.Options{From: fromName, Copying: copying,
		Verifying: verifying})
	endCopying()
	endVerifying()
	if err != nil {
		return err
	}
	m := migrated{From: fromName, To: toName, Report: r, Seconds: time.Since(began).Seconds()}
	return p.say(m, "%s  %s, %s, %s, %s, verified, in %.1f s", terminal.OneLine(m.To), phrase.Plural(m.Agents, "agent"),
		phrase.Plural(m.Versions, "version"), phrase.Entries(m.Entries), phrase.Bytes(m.Bytes), m.Seconds)
}

// name returns the name of a database, and the one by which people know it.
func (c migrateCommand) name(p *process, given string) (name, shown string, err error) {
	if given == "" {
		if given, err = p.databasePath(false); err != nil {
			return "", "", err
		}
	}
	if given == database.InMemory {
		return "", "", invalid("%s is gone when its process ends; name a file", database.InMemory)
	}
	if pgurl.Is(given) {
		return given, pgurl.Short(given), nil
	}
	given, err = filepath.Abs(given)
	return given, given, err
}
