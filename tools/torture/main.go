// Command torture finds out whether this machine, or a PostgreSQL database, keeps what Scratchpad
// promises. Its usage text says how; package internal/torture has the checks.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/tools/internal/torture"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const usage = `Usage: go -C tools run ./torture [flags]

Torture finds out whether this machine keeps what Scratchpad promises. It starts several
servers over a new database of its own, and many clients that write and read one agent's
memory through them. Meanwhile it kills and stops the servers, and lets other agents write.
Then it checks that every acknowledged write is there, that nothing happened twice, that all
answers fit one order, and that no agent saw anything of another.

The database is in a new folder below --dir, which is removed at the end. With --db
postgres://… torture works in tenants of its own in that database, ends connections of its
own servers too, and deletes its agents at the end.

If a check fails, torture stops, keeps the evidence and exits with a code other than 0.
Ctrl-C ends it early with a report.

  go -C tools run ./torture --for 10m
  go -C tools run ./torture --dir /mnt/disk
  go -C tools run ./torture --db postgres://user@host/name --for 1h

Flags:
`

// server is the first argument of a server process.
const server = "__server"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == server {
		exit(serve(ctx))
	}
	exit(run(ctx, os.Args[1:]))
}

// exit ends the process. A wrong command line has the code 2, any other error 1.
func exit(err error) {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case errors.Is(err, workspace.ErrInvalid):
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "torture:", err)
	os.Exit(1)
}

// serve is a server process. It serves its parent.
func serve(ctx context.Context) error {
	return torture.Work(ctx, os.Stdin, os.Stdout, func(ctx context.Context, name string) (workspace.Store, error) {
		return database.Open(ctx, name, database.Options{})
	})
}

// A command is a command line.
type command struct {
	db, dir          string
	length           time.Duration
	seed             uint64
	round            int
	servers, clients int
	json             bool
}

func parse(args []string) (c command, err error) {
	f := flag.NewFlagSet("torture", flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprint(f.Output(), usage)
		f.PrintDefaults()
	}
	f.StringVar(&c.db, "db", cmp.Or(os.Getenv("SCRATCHPAD_DB"), os.Getenv("SCRATCHPAD_DB_PATH"), database.Default()),
		"a `database`: postgres://..., or a file, whose folder gets the new database")
	f.StringVar(&c.dir, "dir", "", "the `folder` in which to make a database (default: the folder of the database)")
	f.DurationVar(&c.length, "for", time.Minute, "how long, such as 10m or 8h; the last round may end later")
	f.Uint64Var(&c.seed, "seed", 0, "repeats the calls and the faults of an earlier run (default: a random one)")
	f.IntVar(&c.round, "round", 1, "the first round, to repeat one that failed")
	f.IntVar(&c.servers, "servers", 3, "how many server processes")
	f.IntVar(&c.clients, "clients", 8, "how many clients make calls at the same time")
	f.BoolVar(&c.json, "json", false, "write the report as one line of JSON")
	if err := f.Parse(args); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			err = workspace.Errorf(workspace.ErrInvalid, "%v", err)
		}
		return c, err
	}
	if f.NArg() > 0 {
		return c, workspace.Errorf(workspace.ErrInvalid, "unexpected argument %q", f.Arg(0))
	}
	if c.servers < 1 || c.clients < 1 || c.round < 1 || c.length <= 0 {
		return c, workspace.Errorf(workspace.ErrInvalid, "--servers, --clients, --round and --for must be above 0")
	}
	return c, nil
}

// A record is the report as JSON.
type record struct {
	torture.Progress
	OK       bool              `json:"ok"`
	Seconds  float64           `json:"seconds"`
	Seed     uint64            `json:"seed"`
	Database string            `json:"database"`
	Kept     string            `json:"kept,omitempty"`
	Failed   []torture.Failure `json:"failed"`
}

// run tortures a database.
func run(ctx context.Context, args []string) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	place, err := c.place()
	if err != nil {
		return err
	}
	show, end := torture.Display(os.Stderr, terminal.Is(os.Stderr))
	r, err := torture.Run(ctx, torture.Options{
		Database: place, For: c.length, Seed: c.seed, First: c.round, Servers: c.servers, Clients: c.clients, Show: show,
		Program: func() (*exec.Cmd, error) {
			self, err := os.Executable()
			return exec.Command(self, server), err
		},
	})
	end()
	if err != nil {
		return err
	}
	r.Database = pgurl.Short(r.Database)
	if err := c.print(os.Stdout, r); err != nil {
		return err
	}
	if len(r.Failures) > 0 {
		return errors.New("a check failed; please report it with the history")
	}
	return nil
}

func (c command) print(out io.Writer, r torture.Report) error {
	if !c.json {
		return r.Print(out, fmt.Sprintf("go -C tools run ./torture --servers %d --clients %d", c.servers, c.clients))
	}
	return json.NewEncoder(out).Encode(record{
		Progress: r.Progress, OK: len(r.Failures) == 0, Seconds: r.Elapsed.Seconds(), Seed: r.Seed,
		Database: r.Database, Kept: r.Kept, Failed: append([]torture.Failure{}, r.Failures...),
	})
}

// place returns a folder, or the address of a PostgreSQL database.
func (c command) place() (string, error) {
	switch {
	case c.dir != "":
		return c.dir, nil
	case c.db == "" || c.db == database.InMemory:
		return "", workspace.Errorf(workspace.ErrInvalid, "there is no folder for a database; name one with --dir")
	case pgurl.Is(c.db):
		return c.db, nil
	}
	dir := filepath.Dir(c.db)
	return dir, os.MkdirAll(dir, 0o700)
}
