package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/host"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

type doctorCommand struct{}

// ofThisCommand ends a line about a flag.
const ofThisCommand = " (applies to this command; a running server has its own setting)"

// Help is shown by scratchpad doctor --help.
func (doctorCommand) Help() string {
	return `Doctor changes nothing, whatever is wrong with the database. Each line is ok, a warning or a problem, with a suggestion. If there is a problem, the exit code is 6. A database that does not exist yet is not a problem.

  scratchpad doctor
  scratchpad doctor --db ./agent.db --json

Doctor checks the structure of the database and its counters. To check all content too, run scratchpad verify.`
}

// A status is the result of a check, from best to worst.
type status string

const (
	statusOK      status = "ok"
	statusWarning status = "warning"
	statusProblem status = "problem"
)

// check is one line of the report.
type check struct {
	Name   string `json:"name"`
	Status status `json:"status"`
	Text   string `json:"text"`
	Do     string `json:"do,omitempty"`
}

// checkup collects the report on one database.
type checkup struct {
	Status   status  `json:"status"` // the worst
	Database string  `json:"database"`
	Checks   []check `json:"checks"`

	p *process
}

// Run makes one check after the other, the database itself last.
func (doctorCommand) Run(p *process, k *kong.Context) error {
	path, err := p.databaseFile()
	if err != nil {
		return err
	}
	c := &checkup{Status: statusOK, Database: path, p: p}
	c.program()
	c.add(check{"path", statusOK, fmt.Sprintf("%s (%s)", path, databaseSource(p.line, k)), ""})
	c.durability()
	c.summaries()
	c.disk()
	if c.folder() && c.files() {
		c.neighbours()
	}
	c.database(p.ctx)
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	if err := p.answer(c, c.print); err != nil {
		return err
	}
	if c.Status == statusProblem {
		return marked{errors.New("doctor found a problem")}
	}
	return nil
}

// databaseSource says where the path of the database comes from.
func databaseSource(line *commandLine, k *kong.Context) string {
	if line.DB == nil {
		return "the default"
	}
	for _, at := range k.Path {
		if at.Flag != nil && at.Flag.Name == "db" {
			return "from --db"
		}
	}
	for _, flag := range k.Model.Flags {
		for _, name := range flag.Envs {
			if _, set := os.LookupEnv(name); set && flag.Name == "db" {
				return "from $" + name
			}
		}
	}
	return "from the environment"
}

func (c *checkup) add(k check) {
	k.Text, k.Do = terminal.OneLine(k.Text), terminal.OneLine(k.Do)
	c.Checks = append(c.Checks, k)
	if k.Status == statusProblem || c.Status == statusOK {
		c.Status = k.Status
	}
}

func (c *checkup) print(out io.Writer) error {
	how := map[status]color.Attribute{statusOK: color.FgGreen, statusWarning: color.FgYellow, statusProblem: color.FgRed}
	for _, k := range c.Checks {
		fmt.Fprintf(out, "%s%*s  %-11s  %s\n", c.p.paint(string(k.Status), how[k.Status]), len(statusProblem)-len(k.Status), "", k.Name, k.Text)
		if k.Do != "" {
			fmt.Fprintf(out, "%22s  %s\n", "", k.Do)
		}
	}
	return nil
}

func (c *checkup) program() {
	library, err := sqlite.LibraryVersion()
	if err != nil {
		c.add(check{"program", statusProblem, fmt.Sprintf("SQLite does not start: %v", err), "Install scratchpad again."})
		return
	}
	c.add(check{"program", statusOK, fmt.Sprintf("scratchpad %s, SQLite %s, %s, %s/%s", version(), library, runtime.Version(), runtime.GOOS, runtime.GOARCH), ""})
}

func (c *checkup) durability() {
	text := "full: acknowledged writes survive a power cut"
	if c.p.line.Durability.Durability == sqlite.Normal {
		text = "normal: a power cut may lose the last writes; the end of a process loses none"
	}
	c.add(check{"durability", statusOK, text + ofThisCommand, ""})
}

// summaries says what makes summaries. A server that cannot make the summaries of
// its flags does not start.
func (c *checkup) summaries() {
	chosen, why, err := c.p.line.Summaries.choose()
	if err != nil {
		c.add(check{"summaries", statusProblem, err.Error(), ""})
		return
	}
	if chosen != nil && chosen.Remote {
		why += "; doctor does not call it, scratchpad files summarize does"
	}
	c.add(check{"summaries", statusOK, why + ofThisCommand, ""})
}

func (c *checkup) neighbours() {
	found, hidden, err := host.Openers(sqlite.Files(c.Database)...)
	if err != nil {
		c.add(check{"neighbours", statusOK, "this system does not show which processes have the database open", ""})
		return
	}
	var open []string
	for _, n := range found {
		command := "its command is not visible"
		if n.Command != "" {
			command = terminal.OneLine(n.Command)
		}
		who := fmt.Sprintf("process %d (%s)", n.ID, command)
		if !n.Stale {
			open = append(open, who)
			continue
		}
		c.add(check{"neighbours", statusWarning, who + " has a database file of this name open that was deleted or replaced",
			"Restart that process. Until then it can store nothing."})
	}
	text := "no other process has it open"
	if len(open) > 0 {
		text = "open in " + strings.Join(open, ", ")
	}
	if hidden > 0 {
		text += "; processes of other users are not visible"
	}
	c.add(check{"neighbours", statusOK, text, ""})
}

// trouble adds an error. Its text has the way out, unless do says more.
func (c *checkup) trouble(name string, err error, do string) {
	c.add(check{name, statusProblem, err.Error(), do})
}
