package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesEdit struct {
	Path      string        `arg:""`
	Old       *string       `arg:"" optional:""`
	New       *string       `arg:"" optional:"" help:"The text to put in its place; may be empty. A - is text, not standard input."`
	All       bool          `help:"Replace every occurrence."`
	IfVersion *flags.Number `placeholder:"N"`
}

// Run replaces the text, or opens the editor.
func (c filesEdit) Run(p *process) error {
	switch {
	case c.Old == nil && c.All:
		return invalid("edit %s: --all needs a text to replace and a text to put in its place", c.Path)
	case c.Old != nil && c.New == nil:
		return invalid("edit %s: the text to put in place of %q is missing; give '' to remove it", c.Path, *c.Old)
	case c.Old == nil && !(terminal.Is(p.in) && terminal.Is(p.out)):
		return invalid("edit %s: there is no terminal for an editor; give the text to replace and the text to put "+
			"in its "+
			"place", c.Path)
	}
	open := p.openExisting
	if c.Old != nil && *c.Old == "" {
		open = p.openDatabase
	}
	return p.withKept(open, c.Path, func(ws *workspace.Workspace) error {
		if c.Old == nil {
			return c.open(p, ws)
		}
		r, err := ws.EditFile(p.ctx, c.Path, *c.Old, *c.New, workspace.EditOptions{All: c.All,
			IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes,
			Replacements: r.Replacements, LineEnds: r.LineEnds, Near: r.Near, Secrets: r.Secrets})
	})
}

// open edits the file in an editor. If the new text cannot be written, it stays in a
// local file.
func (c filesEdit) open(p *process, ws *workspace.Workspace) error {
	r, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{})
	if err != nil {
		return err
	}
	if c.IfVersion != nil && int64(*c.IfVersion) != r.Current {
		return workspace.Errorf(workspace.ErrConflict, "edit %s: it is at version %d, --if-version is %d", c.Path,
			r.Current, *c.IfVersion)
	}
	dir, err := os.MkdirTemp("", "scratchpad-")
	if err != nil {
		return err
	}
	local := filepath.Join(dir, localName(r.Path))
	if err := os.WriteFile(local, r.Content, 0o600); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := native.Edit(local, p.in, p.out, p.err); err != nil {
		err = fmt.Errorf("edit %s: nothing was written: %w", c.Path, err)
		if saved := native.LeftByEditor(local, r.Content); saved != "" {
			return fmt.Errorf("%w; your text is in %s", err, saved)
		}
		return errors.Join(err, os.RemoveAll(dir))
	}
	edited, err := os.ReadFile(local)
	if err != nil {
		return fmt.Errorf("edit %s: nothing was written: %w", c.Path, err)
	}
	if bytes.Equal(edited, r.Content) {
		return errors.Join(p.answerUnchanged(r), os.RemoveAll(dir))
	}
	// A Ctrl-C was for the editor.
	w, err := ws.WriteFile(context.WithoutCancel(p.ctx), r.Path, edited, workspace.WriteOptions{IfVersion: &r.Current})
	if err != nil {
		return failure.Followed(err, "your text is in "+local)
	}
	done := writeRecord{Path: w.Path, Version: w.Version, BytesWritten: w.Bytes, Secrets: w.Secrets}
	return errors.Join(p.answerWritten(done), os.RemoveAll(dir))
}

// localName returns the last part of a path as the name of a local file. Its end stays,
// by which editors know the kind of text.
func localName(stored string) string {
	const most = 200 // file systems allow 255 bytes, and editors add some
	name := path.Base(stored)
	for len(name) > most {
		_, n := utf8.DecodeRuneInString(name)
		name = name[n:]
	}
	return name
}

type unchangedRecord struct {
	Path      string `json:"path"`
	Version   int64  `json:"version"`
	Unchanged bool   `json:"unchanged"`
}

func (p *process) answerUnchanged(r workspace.ReadResult) error {
	return p.answer(unchangedRecord{r.Path, r.Current, true}, func(io.Writer) error {
		return p.note("%s: nothing was changed\n", r.Path)
	})
}
