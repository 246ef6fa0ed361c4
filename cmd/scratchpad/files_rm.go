package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRm struct {
	Paths []string `arg:"" name:"path" help:"The files."`
	Yes   bool     `short:"y" help:"Do not ask first."`
}

type fileDeleted struct {
	Path    string `json:"path"`
	Deleted bool   `json:"deleted"`
	Removed int64  `json:"versions_removed"`
}

// Run deletes the files.
func (c filesRm) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		has := make([]string, len(c.Paths))
		for i, path := range c.Paths {
			versions, err := ws.History(p.ctx, path)
			if err != nil {
				return failure.AsAct("delete", err)
			}
			has[i] = fmt.Sprintf("%s (%s)", path, phrase.Plural(int64(len(versions)), "version"))
		}
		if err := p.confirm(c.Yes, c.Paths, "Delete %s of agent %s?", strings.Join(has, ", "), ws.Agent()); err != nil {
			return err
		}
		records := []fileDeleted{}
		for _, path := range c.Paths {
			r, err := ws.DeleteFile(p.ctx, path, workspace.DeleteOptions{})
			if err != nil {
				return errors.Join(err, p.answerRemoved(records))
			}
			records = append(records, fileDeleted{r.Path, r.Deleted, r.Removed})
		}
		return p.answerRemoved(records)
	})
}

// answerRemoved says what was deleted, also before an error.
func (p *process) answerRemoved(records []fileDeleted) error {
	return p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			fmt.Fprintf(out, "%s: %s\n", r.Path, deletedText(r.Deleted, phrase.Plural(r.Removed, "version")))
		}
		return nil
	})
}

// deletedText says for people what was deleted. A file that somebody else has deleted
// meanwhile, or that is named twice, was not there.
func deletedText(deleted bool, what string) string {
	if !deleted {
		return "was not there"
	}
	return "deleted, " + what
}
