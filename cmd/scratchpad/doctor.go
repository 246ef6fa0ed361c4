package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type doctorCommand struct{}

// Help is shown by scratchpad doctor --help.
func (doctorCommand) Help() string {
	return `It only looks: no byte of a database changes, whatever is wrong with it. Each line is ok, a warning or a problem, with what to do about it. The exit code is 6 when there is a problem, else 0, also where there is no database yet.

  scratchpad doctor
  scratchpad doctor --db ./agent.db --json

It checks the structure of the database and counts; scratchpad verify reads every content and its SHA-256.`
}

// status of a check, from best to worst.
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

// Run checks one thing after the other, the database itself last.
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

// databaseSource says where the path comes from.
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
	k.Text, k.Do = oneLine(k.Text), oneLine(k.Do)
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
	text := "full: what was acknowledged survives a power cut"
	if c.p.line.Durability.Durability == sqlite.Normal {
		text = "normal: a power cut may take the last writes; the end of a process takes none"
	}
	c.add(check{"durability", statusOK, text + "; of this command line, each process has its own", ""})
}

// summaries says what makes them. A server that cannot make those that it is told
// to does not start.
func (c *checkup) summaries() {
	chosen, why, err := c.p.line.Summaries.choose()
	if err != nil {
		c.add(check{"summaries", statusProblem, err.Error(), ""})
		return
	}
	if chosen != nil && chosen.Remote {
		why += "; not tried here: scratchpad files summarize tries it"
	}
	c.add(check{"summaries", statusOK, why + " (what this command line and environment say; a server has its own)", ""})
}

// lowDisk is what the write-ahead log may need.
const lowDisk = 64 << 20

func (c *checkup) disk() {
	free, err := diskFree(existingFolder(c.Database))
	switch {
	case err != nil:
		c.add(check{"disk", statusOK, fmt.Sprintf("the free space cannot be told: %v", err), ""})
	case free < lowDisk:
		c.add(check{"disk", statusWarning, humanBytes(free) + " free", "Make room: when the disk is full, nothing more is stored, though everything can be read."})
	default:
		c.add(check{"disk", statusOK, humanBytes(free) + " free", ""})
	}
}

// existingFolder is the nearest folder above a path that is there.
func existingFolder(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// folder reports whether the database's folder is there.
func (c *checkup) folder() bool {
	dir := filepath.Dir(c.Database)
	info, err := os.Stat(dir)
	if err != nil {
		return false // which the look at the database tells
	}
	mode := info.Mode()
	own := c.p.line.DB == nil
	switch {
	case !mayWrite(dir):
		c.add(check{"folder", statusProblem, fmt.Sprintf("this user may not write in %s, so that nothing can be stored", dir), "Give it to the user that runs the agents, or give another place with --db."})
	case runtime.GOOS == "windows":
		c.add(check{"folder", statusOK, "who may read and write is not checked on this system", ""})
	case own && mode.Perm()&0o077 != 0:
		c.add(check{"folder", statusWarning, fmt.Sprintf("other users may look into it (mode %04o)", mode.Perm()), "Run: chmod 700 " + shellQuote(dir)})
	case mode.Perm()&0o022 != 0:
		c.add(check{"folder", statusWarning, fmt.Sprintf("other users may put files beside the database (mode %04o)", mode.Perm()), "Move the database to a folder of its own, with mode 0700."})
	default:
		c.add(check{"folder", statusOK, fmt.Sprintf("mode %04o", mode.Perm()), ""})
	}
	return true
}

// files tells the sizes, and reports whether the database is there.
func (c *checkup) files() bool {
	info, err := os.Lstat(c.Database)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	sizes := []string{"database " + humanBytes(info.Size())}
	for _, name := range sqlite.Files(c.Database)[1:] {
		if info, err := os.Lstat(name); err == nil {
			sizes = append(sizes, strings.TrimPrefix(name, c.Database+"-")+" "+humanBytes(info.Size()))
		}
	}
	c.add(check{"size", statusOK, strings.Join(sizes, ", "), ""})
	if !mayWrite(c.Database) {
		c.add(check{"rights", statusProblem, "this user may not write it, so that nothing can be stored", "Run as its owner, or chown it to this user."})
	}
	if err := sqlite.CheckFiles(c.Database); err != nil {
		c.add(check{"side files", statusProblem, textOf(err), "Nothing can be stored until then."})
	}
	c.log()
	return true
}

// modes warns of what other users may read, in a database that is one of ours.
func (c *checkup) modes() {
	if runtime.GOOS == "windows" {
		return
	}
	var wide []string
	for _, name := range sqlite.Files(c.Database) {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			wide = append(wide, shellQuote(name))
		}
	}
	if len(wide) > 0 {
		c.add(check{"permissions", statusWarning, "other users may read what agents have stored", "Run: chmod 600 " + strings.Join(wide, " ")})
		return
	}
	c.add(check{"permissions", statusOK, "no other user may read it", ""})
}

// log warns of a write-ahead log that does not get shorter.
func (c *checkup) log() {
	info, err := os.Lstat(c.Database + "-wal")
	if err == nil && info.Size() > 2*lowDisk {
		c.add(check{"log", statusWarning, fmt.Sprintf("the write-ahead log has %s; some process has been reading for long and keeps it from being folded in", humanBytes(info.Size())),
			"End the processes that have the database open, in turn; no data is lost."})
	}
}

func (c *checkup) neighbours() {
	found, hidden, err := neighbours(c.Database)
	if err != nil {
		c.add(check{"neighbours", statusOK, "who else has it open is not visible on this system", ""})
		return
	}
	var open []string
	for _, n := range found {
		who := fmt.Sprintf("process %d (%s)", n.pid, n.command)
		if !n.stale {
			open = append(open, who)
			continue
		}
		c.add(check{"neighbours", statusWarning, who + " has a file of this name open that was deleted or replaced",
			"Start it again: until then it stores nothing more."})
	}
	text := "no other process has it open"
	if len(open) > 0 {
		text = "open in " + strings.Join(open, ", ")
	}
	if hidden > 0 {
		text += "; processes of other users are not visible to this one"
	}
	c.add(check{"neighbours", statusOK, text, ""})
}

// database opens it for reading only, and looks at what it holds.
func (c *checkup) database(ctx context.Context) {
	store, err := sqlite.OpenReadOnly(ctx, c.Database, sqlite.Options{Logger: c.p.log})
	_, noFolder := os.Stat(filepath.Dir(c.Database))
	switch {
	case errors.Is(err, workspace.ErrNotFound), c.p.line.DB == nil && errors.Is(noFolder, fs.ErrNotExist):
		c.add(check{"database", statusOK, "no database yet; the first write makes it", ""})
		return
	case err != nil:
		c.trouble("database", err, "")
		return
	}
	defer store.Close()
	c.modes()
	info, err := store.Info(ctx)
	if err != nil {
		c.trouble("database", err, restore)
		return
	}
	c.add(check{"database", statusOK, fmt.Sprintf("schema %d, %d pages of %d bytes, %d of them free", info.Schema, info.Pages, info.PageSize, info.Free), ""})
	if text := olderSchema(info); text != "" {
		c.add(check{"schema", statusOK, text, ""})
	}
	c.agents(ctx, store)
	problems, err := store.Check(ctx)
	if err != nil {
		c.trouble("integrity", err, restore)
		return
	}
	for _, text := range problems {
		c.add(check{"integrity", statusProblem, text, restore})
	}
	if len(problems) == 0 {
		c.add(check{"integrity", statusOK, "structure and counters; scratchpad verify reads every content", ""})
	}
}

// olderSchema says what becomes of a database that an older version has made; ""
// of any other.
func olderSchema(info sqlite.Info) string {
	if info.Schema >= info.Newest {
		return ""
	}
	return fmt.Sprintf("it is of an older version, with schema %d; the next start of a server or of a command that writes takes it to schema %d, after a copy was made beside it", info.Schema, info.Newest)
}

const restore = "Run scratchpad verify for all that is damaged, and restore it from a backup. Keep this file: it was not changed, and the rest of it can be read."

// trouble adds an error, whose text has the way out unless do says more.
func (c *checkup) trouble(name string, err error, do string) {
	c.add(check{name, statusProblem, err.Error(), do})
}

func (c *checkup) agents(ctx context.Context, store *sqlite.Store) {
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		c.trouble("agents", err, "")
		return
	}
	sum, err := svc.StoreUsage(ctx)
	if err != nil {
		c.trouble("agents", err, restore)
		return
	}
	c.add(check{"agents", statusOK, fmt.Sprintf("%s, %s, %s with %s, %s", plural(sum.Agents, "agent"), plural(sum.Files, "file"), plural(sum.Logs, "log"), entries(sum.Entries), humanBytes(sum.Bytes)), ""})
	c.limits(sum.Totals)
}

// limits compares what all agents have with the limits of that.
func (c *checkup) limits(sum workspace.Totals) {
	most := c.p.line.Store
	status, do := statusOK, ""
	if most.Agents > 0 && sum.Agents >= most.Agents || most.TotalBytes > 0 && sum.Charged() >= most.TotalBytes {
		status, do = statusWarning, "Delete agents with scratchpad agents rm, or raise --max-agents or --max-total-bytes of the servers."
	}
	c.add(check{"limits", status, fmt.Sprintf("%s (%s), %s with the charge for rows (%s); the limits are of this command line, each process has its own",
		plural(sum.Agents, "agent"), limitText(most.Agents, fmt.Sprint(most.Agents)), humanBytes(sum.Charged()), limitText(most.TotalBytes, humanBytes(most.TotalBytes))), do})
}

func limitText(limit int64, text string) string {
	if limit == 0 {
		return "no limit"
	}
	return "limit " + text
}
