package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// journal is what setup has done and has not taken back. It is a file of JSON.
type journal struct {
	Program *programDone `json:"program,omitempty"`
	Files   []fileDone   `json:"files,omitempty"`
	Folders []string     `json:"folders,omitempty"` // made by setup, a folder before those in it
}

// fileDone is an edit of a client's file.
type fileDone struct {
	File    string      `json:"file"`
	Client  string      `json:"client"`
	Hook    bool        `json:"hook,omitempty"`    // of the hook, not of the server
	ForAll  bool        `json:"for_all,omitempty"` // by a setup for all projects; older ones worked for one
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
	Was     []byte      `json:"was"`               // the content before the first edit
	Left    []byte      `json:"left"`              // the content after the last one
	Mixed   bool        `json:"mixed,omitempty"`   // somebody else has edited it between two edits
	Backups []string    `json:"backups,omitempty"` // of an older version
}

// programDone is a program that setup has put in its place.
type programDone struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Backup  string `json:"backup,omitempty"` // the program that was there
	Sum     string `json:"sum"`              // of what setup has put there
}

func readJournal(name string) (j journal, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return j, fmt.Errorf("%s, which says what setup has done, cannot be read: %w; remove the file to begin "+
			"again, and take back by hand what setup did before", name, err)
	}
	return j, nil
}

// save replaces the journal. One without anything is removed.
func (j journal) save(name string) error {
	if j.Program == nil && len(j.Files) == 0 && len(j.Folders) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".scratchpad-*") // mode 0600, because configuration files may have keys
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// takeTurn waits until no other setup has the journal, for at most 10 s. Errors:
// [clientconfig.ErrBusy] and those of package os.
func takeTurn(journal string) (unlock func(), err error) {
	const patience = 10 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		free, held, err := native.TryLock(lockOf(journal))
		switch {
		case errors.Is(err, native.ErrNotOwn) && time.Now().Before(deadline): // an undo may have just removed it
		case err != nil || !held:
			return free, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%w: another setup has been running for %v; try again", clientconfig.ErrBusy,
				patience)
		}
	}
}

func lockOf(journal string) string { return journal + "-lock" }

// missing returns the folders above a file that are not there.
func missing(file string) (folders []string) {
	for dir := filepath.Dir(file); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folders = append(folders, dir)
	}
	return folders
}

// addFolders adds folders that setup makes. Another setup at the same time may have added
// those in them before.
func (j *journal) addFolders(folders []string) {
	j.Folders = append(j.Folders, folders...)
	slices.Sort(j.Folders) // a folder sorts before those in it
	j.Folders = slices.Compact(j.Folders)
}

// entry returns the edit of a file, or nil.
func (j *journal) entry(file string) *fileDone {
	if i := slices.IndexFunc(j.Files, func(f fileDone) bool { return f.File == file }); i >= 0 {
		return &j.Files[i]
	}
	return nil
}

// of returns the edit of the file that a name leads to, or nil.
func (j *journal) of(file string) *fileDone {
	real, err := clientconfig.FollowLink(file)
	if err != nil {
		return nil
	}
	return j.entry(real)
}

// wrote reports whether setup has written the entry of a client's file.
func (j *journal) wrote(c clientconfig.Client, file string, have clientconfig.Entry) bool {
	done := j.of(file)
	return done != nil && !done.Hook && done.isOwn(c, have)
}

// isOwn reports whether an entry is the one that the last edit has left. In the user's own file
// a client may have noted more in it. Others may have written to the file of a project.
func (f fileDone) isOwn(c clientconfig.Client, have clientconfig.Entry) bool {
	left, err := c.EntryIn(f.File, f.Left, ServerName)
	if project, projectErr := clientconfig.Project(f.File); project != "" || projectErr != nil {
		return err == nil && left.Equal(have)
	}
	return err == nil && have.Starts(left)
}

// sumOf returns the SHA-256 of a file.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
