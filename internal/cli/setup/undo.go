package setup

import (
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
	all, folders, err := o.undo()
	unlock() // its file is in one of the folders
	for _, dir := range slices.Backward(folders) {
		os.Remove(dir) // one that is not empty stays
	}
	return all, err
}

// undo is Undo without the lock. It returns the folders that setup has made if nothing
// else is left of it.
func (o UndoOptions) undo() (all []Undone, folders []string, err error) {
	j, err := readJournal(o.Journal)
	if err != nil {
		return nil, nil, err
	}
	add := func(what, did string, err error) { all = append(all, Undone{what, did, err}) }
	var left []fileDone
	for _, f := range slices.Backward(j.Files) {
		switch {
		case len(o.Clients) > 0 && !slices.Contains(o.Clients, f.Client):
			left = append(left, f)
		case o.DryRun:
			add(f.File, f.would(), nil)
		default:
			did, err := f.takeBack()
			if add(f.File, did, err); err != nil {
				left = append(left, f)
			}
		}
	}
	if o.DryRun {
		if j.Program != nil && len(o.Clients) == 0 {
			did := "to be removed"
			if j.Program.Existed {
				did = "to be put back as it was"
			}
			add(j.Program.Path, did, nil)
		}
		return all, nil, nil
	}
	slices.Reverse(left)
	if j.Files = left; len(o.Clients) == 0 {
		if j.Program != nil {
			did, err := j.Program.takeBack()
			if add(j.Program.Path, did, err); err == nil {
				j.Program = nil
			}
		}
		if len(j.Files) == 0 && j.Program == nil {
			folders, j.Folders = j.Folders, nil // the journal is in one of them, so it goes first
		}
	}
	return all, folders, j.save(o.Journal)
}

// would says what takeBack is going to do.
func (f fileDone) would() string {
	now, err := os.ReadFile(f.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone already"
	case err != nil, f.Mixed, string(now) != string(f.Left) && !(f.Existed && string(now) == string(f.Was)):
		return "edited by another since, so only the entry of this program is to be taken out"
	case f.Existed:
		return "to be put back as it was"
	}
	return "to be removed"
}

// takeBack puts the file back as it was, or takes out the entry of this program.
func (f fileDone) takeBack() (did string, err error) {
	if !f.Mixed {
		done, err := clientconfig.Restore(f.File, f.Left, f.Was, f.Existed, f.Mode)
		if err != nil {
			return "", err
		}
		if done {
			for _, name := range f.Backups {
				if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return "", err
				}
			}
			if f.Existed {
				return "put back as it was", nil
			}
			return "removed", nil
		}
	}
	if _, err := os.Stat(f.File); errors.Is(err, fs.ErrNotExist) {
		return "it is gone already", nil
	}
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
	case claude != "":
		return "the entry of this program was taken out by claude mcp remove",
			removeByClaude(context.Background(), claude)
	}
	backup, err := p.Write()
	return "edited by another since, so only the entry of this program was taken out; a copy of the file before " +
		"that: " +
		backup, err
}
