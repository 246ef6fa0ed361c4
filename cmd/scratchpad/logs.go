package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// logsCommand has the commands on an agent's logs.
type logsCommand struct {
	Ls     logsLs     `cmd:"" help:"List the logs."`
	Cat    logsCat    `cmd:"" help:"Print the entries of a log."`
	Append logsAppend `cmd:"" help:"Add an entry to a log, or with --lines one for each line of standard input."`
	Tail   logsTail   `cmd:"" help:"Print the newest entries of a log, and with -f those to come."`
	Rm     logsRm     `cmd:"" help:"Delete logs with all their entries, or the oldest entries of one."`
}

type logsLs struct {
	Prefix string `arg:"" optional:"" help:"What the names begin with, such as runs/."`
}

// Help is shown by scratchpad logs ls --help.
func (logsLs) Help() string {
	return `Examples:

  scratchpad logs ls
  scratchpad logs ls runs/ --json`
}

type logRecord struct {
	Path        string    `json:"path"`
	Entries     int64     `json:"entries"`
	Bytes       int64     `json:"bytes"`
	LastEntryID int64     `json:"last_entry_id"`
	Updated     time.Time `json:"updated"`
}

// Run lists all logs below the prefix.
func (c logsLs) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		records := []logRecord{}
		rows := [][]string{{"LOG", "ENTRIES", "BYTES", "LAST", "UPDATED"}}
		for o := (workspace.ListOptions{Prefix: c.Prefix}); ; {
			page, err := ws.ListLogs(p.ctx, o)
			if err != nil {
				return err
			}
			for _, l := range page.Logs {
				records = append(records, logRecord{Path: l.Path, Entries: l.Entries, Bytes: l.Bytes, LastEntryID: l.Last, Updated: l.Updated.UTC()})
				rows = append(rows, []string{cell(l.Path), fmt.Sprint(l.Entries), fmt.Sprint(l.Bytes), fmt.Sprint(l.Last), timeText(l.Updated)})
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		return p.list(records, rows, "no logs%s of agent %s; scratchpad logs append LOG TEXT makes one, and --agent names another agent", below(c.Prefix), ws.Agent())
	})
}

type logsCat struct {
	Log   string  `arg:"" help:"The log."`
	Since *number `placeholder:"N" xor:"part" help:"Only the entries after entry N."`
	Tail  count   `placeholder:"N" xor:"part" help:"Only the last N."`
}

// Help is shown by scratchpad logs cat --help.
func (logsCat) Help() string {
	return `Each entry is its number, its time and its text, whose further lines are indented. With --json, each is a line of JSON.

Examples:

  scratchpad logs cat decisions
  scratchpad logs cat decisions --since 1
  scratchpad logs cat decisions --tail 5 --json`
}

// Run prints the entries.
func (c logsCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		last, err := newest(p, ws, c.Log)
		if err != nil {
			return err
		}
		var since int64
		switch {
		case c.Since != nil:
			since = int64(*c.Since)
		case c.Tail > 0:
			since = max(0, last-int64(c.Tail))
		}
		_, err = p.newEntryWriter().copy(p, ws, c.Log, since)
		return err
	})
}

// newest returns the number of the newest entry of a log that exists; 0 if it has
// none.
func newest(p *process, ws *workspace.Workspace, log string) (int64, error) {
	page, err := ws.ReadLog(p.ctx, log, workspace.ReadLogOptions{Tail: 1})
	if err == nil && !page.Exists {
		way := "scratchpad logs ls shows those that exist"
		switch {
		case page.IsFile:
			way = "a file has this name: scratchpad files cat prints it"
		case page.Nearest != "":
			way = "the nearest name is " + page.Nearest
		}
		err = of("read log", log, workspace.Errorf(workspace.ErrNotFound, "there is no such log; %s", way))
	}
	return page.Last, err
}

// entryWriter writes entries for people, or for scripts as they come.
type entryWriter struct {
	out  *bufio.Writer
	text io.Writer     // of out
	json *json.Encoder // nil: for people
}

func (p *process) newEntryWriter() *entryWriter {
	w := &entryWriter{out: bufio.NewWriter(p.out)}
	w.text = p.screen(w.out)
	if p.line.JSON {
		w.json = json.NewEncoder(w.text)
		w.json.SetEscapeHTML(false)
	}
	return w
}

type entryRecord struct {
	ID     int64     `json:"id"`
	Time   time.Time `json:"time"`
	Text   string    `json:"text"`
	Author *author   `json:"author,omitempty"`
}

func (w *entryWriter) write(e workspace.Entry) error {
	if w.json != nil {
		return w.json.Encode(entryRecord{ID: e.ID, Time: e.Time.UTC(), Text: string(e.Content), Author: authorOf(e.Author)})
	}
	// What an entry says on its further lines must not look like an entry.
	head := fmt.Sprintf("%d  %s  ", e.ID, timeText(e.Time))
	text := strings.ReplaceAll(string(e.Content), "\n", "\n"+strings.Repeat(" ", len(head)))
	_, err := fmt.Fprintf(w.text, "%s%s\n", head, text)
	return err
}

// copy writes all entries after since, and returns the last one's number.
func (w *entryWriter) copy(p *process, ws *workspace.Workspace, log string, since int64) (int64, error) {
	for {
		page, err := ws.ReadLog(p.ctx, log, workspace.ReadLogOptions{Since: since})
		if err != nil {
			return since, err
		}
		for _, e := range page.Entries {
			if err := w.write(e); err != nil {
				return since, err
			}
		}
		if err := w.out.Flush(); err != nil {
			return since, err
		}
		if since = page.Last; !page.More {
			return since, nil
		}
	}
}

type logsRm struct {
	Logs    []string `arg:"" name:"log" help:"The logs."`
	Through count    `placeholder:"N" help:"Of one log, delete only the entries up to N. Later entries keep their numbers, and the log stays."`
	Yes     bool     `short:"y" help:"Do not ask."`
}

// Help is shown by scratchpad logs rm --help.
func (logsRm) Help() string {
	return `It asks first, and deletes nothing when one of the logs is not there. A file of the same name stays.

Examples:

  scratchpad logs rm runs/1 --yes
  scratchpad logs rm decisions --through 1 --yes`
}

type logDeleted struct {
	Path           string `json:"path"`
	Deleted        bool   `json:"deleted"`
	EntriesRemoved int64  `json:"entries_removed"`
}

// Run deletes the logs, or entries of one.
func (c logsRm) Run(p *process) error {
	if c.Through > 0 && len(c.Logs) > 1 {
		return workspace.Errorf(workspace.ErrInvalid, "--through is about the entries of one log; name one, not %d", len(c.Logs))
	}
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		for _, log := range c.Logs {
			if _, err := newest(p, ws, log); err != nil {
				return asAct("delete log", err)
			}
		}
		if err := c.confirm(p, ws.Agent()); err != nil {
			return err
		}
		records := []logDeleted{}
		for _, log := range c.Logs {
			r, err := c.remove(p, ws, log)
			if err != nil {
				return errors.Join(err, c.answer(p, records))
			}
			records = append(records, logDeleted{Path: r.Path, Deleted: r.Deleted, EntriesRemoved: r.Removed})
		}
		return c.answer(p, records)
	})
}

func (c logsRm) confirm(p *process, agent string) error {
	if c.Through > 0 {
		return p.confirm(c.Yes, c.Logs, "Delete the entries up to %d of the log %s of agent %s?", c.Through, c.Logs[0], agent)
	}
	return p.confirm(c.Yes, c.Logs, "Delete the %s of agent %s: %s?", "logs", agent, strings.Join(c.Logs, ", "))
}

func (c logsRm) remove(p *process, ws *workspace.Workspace, log string) (workspace.DeleteResult, error) {
	if c.Through > 0 {
		return ws.TrimLog(p.ctx, log, int64(c.Through), workspace.DeleteOptions{})
	}
	return ws.DeleteLog(p.ctx, log, workspace.DeleteOptions{})
}

// answer also says what was done before an error.
func (c logsRm) answer(p *process, records []logDeleted) error {
	return p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			text := deletedText(r.Deleted, entries(r.EntriesRemoved))
			switch {
			case c.Through > 0 && r.Deleted:
				text = fmt.Sprintf("%s deleted, up to entry %d", entries(r.EntriesRemoved), c.Through)
			case c.Through > 0:
				text = fmt.Sprintf("no entry up to %d was left", c.Through)
			}
			fmt.Fprintf(out, "%s: %s\n", r.Path, text)
		}
		return nil
	})
}

func entries(n int64) string { return plural(n, "entry") }
