package setup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
)

// An Undone is one thing that [Undo] has taken back.
type Undone struct {
	What string `json:"what"` // a file
	Did  string `json:"did"`
	Err  error  `json:"-"`

	Error string `json:"error,omitempty"` // the text of Err, which the caller sets
}

// UndoOptions of [Undo].
type UndoOptions struct {
	Journal string   // as in Options
	Clients []string // whose files are taken back; empty: all of them, and the rest too
	DryRun  bool     // change nothing, and say what would be taken back
}

// Undo takes back what the journal says, the last first. What cannot be taken back has an
// error, and stays in the journal.
func Undo(o UndoOptions) (all []Undone, err error) {
	if _, err := os.Stat(o.Journal); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := takeTurn(o.Journal)
	if err != nil {
		return nil, err
	}
	defer unlock()
	j, err := readJournal(o.Journal)
	if err != nil {
		return nil, err
	}
	undo := func(what string, takeBack func(dry bool) (string, error)) (isLeft bool) {
		did, err := takeBack(o.DryRun)
		all = append(all, Undone{What: what, Did: did, Err: err})
		return err != nil
	}
	var left []fileDone
	for _, f := range slices.Backward(j.Files) {
		if len(o.Clients) > 0 && !slices.Contains(o.Clients, f.Client) || undo(f.File, f.takeBack) {
			left = append(left, f)
		}
	}
	if j.Program != nil && len(o.Clients) == 0 && !undo(j.Program.Path, j.Program.takeBack) {
		j.Program = nil
	}
	if o.DryRun {
		return all, nil
	}
	slices.Reverse(left)
	j.Files = left
	err = j.save(o.Journal)
	if _, gone := os.Stat(o.Journal); gone != nil {
		os.Remove(lockOf(o.Journal))
	}
	return all, err
}

// takeBack puts the file back as it was, or takes out the entry of this program if somebody else has edited
// the file since. In a dry run it says what it would do.
func (f fileDone) takeBack(dry bool) (did string, err error) {
	now, err := clientconfig.ReadFile(f.File)
	did = "put back as it was"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone already", nil
	case err != nil:
		return "", err
	case f.Was != nil && bytes.Equal(now, f.Was): // it was never written
		return did, nil
	case f.Mixed || !f.hasLeft(now):
		return f.takeOut(dry)
	case f.Was == nil:
		did = "removed"
	}
	if dry {
		return "to be " + did, nil
	}
	return did, clientconfig.Replace(f.File, now, f.Was)
}

// takeOut takes the entry of this program out of a file that somebody else has edited.
func (f fileDone) takeOut(dry bool) (did string, err error) {
	change, claude := clientconfig.RemoveHook(f.File), ""
	if !f.Hook {
		c, _ := clientconfig.Find(f.Client)
		have, err := c.ReadEntry(f.File, ServerName)
		if err != nil {
			return "", err
		}
		if have.Exists() && !f.isOwn(c, have) {
			return "left as it is, because somebody else has changed the entry of this program; remove it by hand", nil
		}
		change, claude = c.RemoveServer(f.File, ServerName), claudeFor(f.File)
	}
	p, err := change.Preview()
	switch {
	case err != nil:
		return "", err
	case len(p.Changed) == 0:
		return "left as it is: the entry of this program is gone already", nil
	case dry:
		return "edited by another since, so only the entry of this program is to be taken out", nil
	case claude != "":
		return "the entry of this program was taken out by claude mcp remove",
			removeByClaude(context.Background(), claude)
	}
	return "edited by another since, so only the entry of this program was taken out", p.Write()
}
