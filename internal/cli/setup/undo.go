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
	all, folders, err := o.undo()
	unlock()
	if _, gone := os.Stat(o.Journal); gone != nil {
		os.Remove(lockOf(o.Journal)) // it is in one of the folders
	}
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
	add := func(what, did string, err error) { all = append(all, Undone{What: what, Did: did, Err: err}) }
	var left []fileDone
	for _, f := range slices.Backward(j.Files) {
		isMeant := len(o.Clients) == 0 || slices.Contains(o.Clients, f.Client)
		if isMeant {
			did, err := f.takeBack(o.DryRun)
			add(f.File, did, err)
			isMeant = err == nil
		}
		if !isMeant {
			left = append(left, f)
		}
	}
	if j.Program != nil && len(o.Clients) == 0 {
		did, err := j.Program.takeBack(o.DryRun)
		if add(j.Program.Path, did, err); err == nil {
			j.Program = nil
		}
	}
	if o.DryRun {
		return all, nil, nil
	}
	slices.Reverse(left)
	if j.Files = left; len(o.Clients)+len(left) == 0 && j.Program == nil {
		folders, j.Folders = j.Folders, nil // the journal is in one of them, so it goes first
	}
	return all, folders, j.save(o.Journal)
}

// takeBack puts the file back as it was, or takes out the entry of this program. In a dry run it says what it
// would do.
func (f fileDone) takeBack(dry bool) (did string, err error) {
	now, err := clientconfig.ReadFile(f.File)
	isBack := f.Existed && err == nil && string(now) == string(f.Was) // it was never written
	others := err == nil && !isBack && (f.Mixed || string(now) != string(f.Left))
	did, was := "removed", []byte(nil)
	if f.Existed {
		did, was = "put back as it was", append([]byte{}, f.Was...)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone already", nil
	case err != nil:
		return "", err
	case dry && others:
		return "edited by another since, so only the entry of this program is to be taken out", nil
	case others:
		return f.takeOut()
	case dry:
		return "to be " + did, nil
	case !isBack:
		err = clientconfig.Replace(f.File, f.Left, was, f.Mode)
	}
	for _, name := range f.Backups {
		os.Remove(name)
	}
	return did, err
}

// takeOut takes the entry of this program out of a file that somebody else has edited.
func (f fileDone) takeOut() (did string, err error) {
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
	return "edited by another since, so only the entry of this program was taken out", p.Write()
}
