package doctor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Status is the result of a check, or of all checks.
type Status string

// Statuses, from best to worst.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// A Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`         // what was found
	Do     string `json:"do,omitempty"` // what the operator can do; "": nothing
}

// A Report has the checks of one database, in the order in which they were made.
type Report struct {
	Status   Status  `json:"status"` // the worst of all checks
	Database string  `json:"database"`
	Checks   []Check `json:"checks"`
}

// Options say what to examine, and what a command would use. All fields must be set.
type Options struct {
	Database  string // the absolute path
	IsDefault bool   // nobody has named the path
	Scrub     bool   // remove what redactions and expired deleted files have left
	Secrets   bool   // look for secrets in all that is stored

	Version string                // the version of this program
	Limits  workspace.StoreLimits // 0: no limit

	// Summaries returns who makes summaries, and why. nil as the first result: nobody does.
	Summaries func() (chosen *workspace.Summarizer, why string, err error)

	Logger *slog.Logger
	Text   func(error) string // words an error for people
}

// checkup collects a report.
type checkup struct {
	Report
	o    Options
	open bool // of a running server, for people elsewhere: texts name no path, and flags are its own
}

// setting ends a line about a flag.
func (r *checkup) setting() string {
	if r.open {
		return ""
	}
	return " (applies to this command; a running server has its own setting)"
}

// Examine makes one check after another, those inside the database last. The only error is
// that of ctx.
func Examine(ctx context.Context, o Options) (*Report, error) {
	r := &checkup{Report: Report{Status: OK, Database: o.Database}, o: o}
	r.program()
	r.ok("path", o.Database)
	r.ok("durability", "acknowledged writes survive a power cut")
	r.summaries()
	r.disk()
	if r.folder() && r.files() {
		r.neighbours()
	}
	r.database(ctx)
	return &r.Report, ctx.Err()
}

func (r *checkup) ok(name, text string)       { r.add(Check{name, OK, text, ""}) }
func (r *checkup) warn(name, text, do string) { r.add(Check{name, Warning, text, do}) }
func (r *checkup) fail(name, text, do string) { r.add(Check{name, Problem, text, do}) }

func (r *checkup) add(c Check) {
	c.Text, c.Do = terminal.OneLine(c.Text), terminal.OneLine(c.Do)
	r.Checks = append(r.Checks, c)
	if c.Status == Problem || r.Status == OK {
		r.Status = c.Status
	}
}

// Print writes a line for each check, and one for what to do.
func (r *Report) Print(out io.Writer, paint func(string, ...color.Attribute) string) error {
	how := map[Status]color.Attribute{OK: color.FgGreen, Warning: color.FgYellow, Problem: color.FgRed}
	for _, c := range r.Checks {
		fmt.Fprintf(out, "%s%*s  %-11s  %s\n", paint(string(c.Status), how[c.Status]), len(Problem)-len(c.Status), "",
			c.Name, c.Text)
		if c.Do != "" {
			fmt.Fprintf(out, "%22s  %s\n", "", c.Do)
		}
	}
	return nil
}

func (r *checkup) program() {
	r.ok("program", fmt.Sprintf("scratchpad %s, SQLite %s, %s, %s/%s", r.o.Version, sqlite.LibraryVersion,
		runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

// summaries says what makes summaries. A server that cannot make the summaries of
// its flags does not start.
func (r *checkup) summaries() {
	chosen, why, err := r.o.Summaries()
	if err != nil {
		r.fail("summaries", err.Error(), "")
		return
	}
	if chosen != nil && chosen.Remote {
		why += "; doctor does not call it, scratchpad files summarize does"
	}
	r.ok("summaries", why+r.setting())
}

func (r *checkup) neighbours() {
	found, hidden, err := native.Openers(sqlite.Files(r.Database)...)
	if err != nil {
		r.ok("neighbours", "this system does not show which processes have the database open")
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
		r.warn("neighbours", who+" has a database file of this name open that was deleted or replaced",
			"Restart that process. Until then it can store nothing.")
	}
	text := "no other process has it open"
	if len(open) > 0 {
		text = "open in " + strings.Join(open, ", ")
	}
	if hidden > 0 {
		text += "; processes of other users are not visible"
	}
	r.ok("neighbours", text)
}

// trouble adds an error. Its text has the way out, unless do says more. People elsewhere
// get its kind alone, because the text may name what an agent has.
func (r *checkup) trouble(name string, err error, do string) {
	if r.open {
		r.fail(name, "the database does not answer as it should: "+kindText(err), onMachine)
		return
	}
	r.fail(name, err.Error(), do)
}

// kindText returns the words for the kind of an error.
func kindText(err error) string {
	if kind := workspace.Kind(err); kind != nil {
		return kind.Error()
	}
	return "an unexpected error"
}

// onMachine is the way out for who must not see a path.
const onMachine = "Run scratchpad doctor on the machine of the server; it says what to do."

// run returns the way out by a command on paths.
func (r *checkup) run(command string, paths ...string) string {
	if r.open {
		return onMachine
	}
	for _, path := range paths {
		command += " " + native.Quote(path)
	}
	return "Run: " + command
}
