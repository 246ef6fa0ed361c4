package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsRm struct {
	Logs    []string    `arg:"" name:"log"`
	Through flags.Count `placeholder:"N"`
	Yes     bool        `short:"y" help:"Do not ask."`
}

type logDeleted struct {
	Path    string `json:"path"`
	Deleted bool   `json:"deleted"`
	Removed int64  `json:"entries_removed"`
	Final   bool   `json:"final,omitempty"` // there is no way back
}

// Run deletes the logs, or entries of one.
func (c logsRm) Run(p *process) error {
	if c.Through > 0 && len(c.Logs) > 1 {
		return invalid("--through is about the entries of one log; name one, not %d", len(c.Logs))
	}
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		seen := make([]int64, len(c.Logs)) // the last entries
		for i, log := range c.Logs {
			head, err := newest(p, ws, log)
			if err != nil {
				return failure.AsAct("delete log", err)
			}
			seen[i] = head.Last
		}
		if err := c.confirm(p, ws.Agent()); err != nil {
			return err
		}
		records := []logDeleted{}
		for i, log := range c.Logs {
			r, err := c.remove(p, ws, log, seen[i])
			if err != nil {
				return errors.Join(err, c.answer(p, records))
			}
			records = append(records, logDeleted{r.Path, r.Deleted, r.Removed, r.Deleted})
		}
		return c.answer(p, records)
	})
}

func (c logsRm) confirm(p *process, agent string) error {
	if c.Through > 0 {
		return p.confirm(c.Yes, c.Logs, "Delete the entries up to %d of the log %s of agent %s?", c.Through, c.Logs[0],
			agent)
	}
	return p.confirm(c.Yes, c.Logs, "Delete the %s of agent %s: %s?", "logs", agent, strings.Join(c.Logs, ", "))
}

// remove deletes a log or entries of it. If the command has asked, the log must still be as it
// was then, and have the last entry seen.
func (c logsRm) remove(p *process, ws *workspace.Workspace, log string, seen int64) (workspace.DeleteResult, error) {
	if c.Through > 0 {
		return ws.TrimLog(p.ctx, log, int64(c.Through), workspace.TrimLogOptions{})
	}
	var o workspace.DeleteLogOptions
	if !c.Yes {
		o.IfLast = &seen
	}
	return ws.DeleteLog(p.ctx, log, o)
}

// answer also says what was done before an error.
func (c logsRm) answer(p *process, records []logDeleted) error {
	return p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			text := deletedText(r.Deleted, phrase.Entries(r.Removed))
			switch {
			case c.Through > 0 && r.Deleted:
				text = fmt.Sprintf("%s deleted, up to entry %d", phrase.Entries(r.Removed), c.Through)
			case c.Through > 0:
				text = fmt.Sprintf("no entry up to %d was left", c.Through)
			}
			fmt.Fprintf(out, "%s: %s\n", r.Path, text)
		}
		return nil
	})
}
