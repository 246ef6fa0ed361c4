package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/database"
	"github.com/agent-scratchpad/scratchpad/internal/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/torture"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type tortureCommand struct {
	Dir     string        `type:"path" placeholder:"DIR" help:"The folder in which to make a database. Default: the folder of the database."`
	For     time.Duration `default:"1m" placeholder:"TIME" help:"How long, such as 10m or 8h. The last round may end later."`
	Seed    uint64        `placeholder:"N" help:"Repeats the calls and the faults of an earlier run. Default: a random one."`
	Round   int           `placeholder:"N" default:"1" help:"The first round, to repeat one that failed."`
	Servers int           `default:"3" placeholder:"N" help:"How many server processes."`
	Clients int           `default:"8" placeholder:"N" help:"How many clients make calls at the same time."`
}

// Help is shown by scratchpad torture --help.
func (tortureCommand) Help() string {
	return `Torture finds out whether this machine keeps what Scratchpad promises. It starts several servers over a new database of its own, and many clients that write and read one agent's memory through them. Meanwhile it kills and stops the servers, and lets other agents write. Then it checks that every acknowledged write is there, that nothing happened twice, that all answers fit one order, and that no agent saw anything of another.

The database is in a new folder below --dir, which is removed at the end. With --db postgres://… torture works in tenants of its own in that database, ends connections of its own servers too, and deletes its agents at the end.

If a check fails, torture stops, keeps the evidence and exits with a code other than 0. Ctrl-C ends it early with a report.

  scratchpad torture --for 10m
  scratchpad torture --dir /mnt/disk
  scratchpad torture --db postgres://user@host/name --for 1h`
}

// tortureRecord is the answer of torture.
type tortureRecord struct {
	torture.Progress
	OK       bool              `json:"ok"`
	Seconds  float64           `json:"seconds"`
	Seed     uint64            `json:"seed"`
	Database string            `json:"database"`
	Kept     string            `json:"kept,omitempty"`
	Failed   []torture.Failure `json:"failed"`
}

// Run tortures a database.
func (c tortureCommand) Run(p *process) error {
	if c.Servers < 1 || c.Clients < 1 || c.Round < 1 || c.For <= 0 {
		return workspace.Errorf(workspace.ErrInvalid, "--servers, --clients, --round and --for must be above 0")
	}
	place, err := c.place(p)
	if err != nil {
		return err
	}
	show, end := torture.Display(p.err, terminal.Is(p.err))
	r, err := torture.Run(p.ctx, torture.Options{
		Database: place, For: c.For, Seed: c.Seed, First: c.Round, Servers: c.Servers, Clients: c.Clients, Show: show,
		Program: func() (*exec.Cmd, error) {
			self, err := os.Executable()
			return exec.Command(self, "__torture", "--durability="+p.line.Durability.String()), err
		},
	})
	end()
	if err != nil {
		return err
	}
	r.Database = pgurl.Short(r.Database)
	v := tortureRecord{Progress: r.Progress, OK: len(r.Failures) == 0, Seconds: r.Elapsed.Seconds(), Seed: r.Seed, Database: r.Database, Kept: r.Kept, Failed: append([]torture.Failure{}, r.Failures...)}
	again := fmt.Sprintf("scratchpad torture --servers %d --clients %d", c.Servers, c.Clients)
	if err := p.answer(v, func(out io.Writer) error { return r.Print(p.screen(out), again) }); err != nil {
		return err
	}
	if !v.OK {
		return errors.New("a check failed; please report it with the history")
	}
	return nil
}

// place returns a folder, or the address of a PostgreSQL database.
func (c tortureCommand) place(p *process) (string, error) {
	if c.Dir != "" {
		return c.Dir, nil
	}
	name, err := p.databasePath(true)
	switch {
	case err != nil:
		return "", err
	case name == database.InMemory:
		return "", workspace.Errorf(workspace.ErrInvalid, "%s is of one process; name a folder with --dir", database.InMemory)
	case pgurl.Is(name):
		return name, nil
	}
	return filepath.Dir(name), nil
}

// tortureServerCommand is a server process of torture.
type tortureServerCommand struct{}

// Run serves its parent.
func (tortureServerCommand) Run(p *process) error {
	return torture.Work(p.ctx, p.in, p.out, func(ctx context.Context, name string) (workspace.Store, error) {
		return database.Open(ctx, name, p.databaseOptions())
	})
}
