package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRm struct {
	Paths   []string `arg:"" name:"path"`
	ForGood bool
	Yes     bool `short:"y" help:"Do not ask first."`
}

type fileDeleted struct {
	Path    string    `json:"path"`
	Deleted bool      `json:"deleted"`
	Kept    int64     `json:"versions_kept,omitempty"`
	Until   time.Time `json:"restorable_until,omitzero"`
	Removed *int64    `json:"versions_removed,omitempty"` // for good; nil: they are kept
}

// Run deletes the files. What cannot be brought back is asked for.
func (c filesRm) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		has := make([]string, len(c.Paths))
		for i, path := range c.Paths {
			versions, err := ws.History(p.ctx, path)
			if err == nil && !c.ForGood { // the file must exist
				_, err = ws.ReadFile(p.ctx, path, workspace.ReadOptions{Since: versions[len(versions)-1].Version})
			}
			if err != nil {
				return failure.AsAct("delete", err)
			}
			has[i] = fmt.Sprintf("%s (%s)", path, phrase.Plural(int64(len(versions)), "version"))
		}
		if c.ForGood || p.line.KeepDeleted.Duration == 0 {
			err := p.confirm(c.Yes, c.Paths, "Delete %s of agent %s for good?", strings.Join(has, ", "), ws.Agent())
			if err != nil {
				return err
			}
		}
		records := []fileDeleted{}
		for _, path := range c.Paths {
			r, err := ws.DeleteFile(p.ctx, path, workspace.DeleteOptions{ForGood: c.ForGood})
			if err != nil {
				return errors.Join(err, p.answerRemoved(records))
			}
			record := fileDeleted{r.Path, r.Deleted, r.Versions, r.Until, nil}
			if r.Versions == 0 {
				record.Removed = &r.Removed
			}
			records = append(records, record)
		}
		return p.answerRemoved(records)
	})
}

// answerRemoved says what was deleted, also before an error.
func (p *process) answerRemoved(records []fileDeleted) error {
	return p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			text := fmt.Sprintf("deleted; scratchpad files restore %s brings it back until %s", native.Quote(r.Path),
				untilText(time.Now(), r.Until))
			if r.Removed != nil {
				text = deletedText(r.Deleted, phrase.Plural(*r.Removed, "version"))
			}
			fmt.Fprintf(out, "%s: %s\n", r.Path, text)
		}
		return nil
	})
}

// untilText returns a time that is to come as a day, such as 28 Dec.
func untilText(now, until time.Time) string {
	switch left := until.Sub(now); {
	case left < 48*time.Hour:
		return until.UTC().Format("2 Jan 15:04Z")
	case left > 300*24*time.Hour:
		return until.UTC().Format("2 Jan 2006")
	}
	return until.UTC().Format("2 Jan")
}

// deletedText says for people what was deleted and cannot come back. A file that somebody else has deleted
// meanwhile, or that is named twice, was not there.
func deletedText(deleted bool, what string) string {
	if !deleted {
		return "was not there"
	}
	return "deleted for good, " + what
}
