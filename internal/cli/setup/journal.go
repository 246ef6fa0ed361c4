package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// journal is what setup has done and has not taken back. It is a file of JSON.
type journal struct {
	Program *programDone `json:"program,omitempty"`
	Files   []fileDone   `json:"files,omitempty"`
}

// fileDone is an edit of a client's file.
type fileDone struct {
	File   string `json:"file"`
	Client string `json:"client"`
	Hook   bool   `json:"hook,omitempty"`    // of the hook, not of the server
	ForAll bool   `json:"for_all,omitempty"` // by a setup for all projects; older ones worked for one
	Was    []byte `json:"was"`               // the content before the first edit; null: there was no file
	Left   []byte `json:"left"`              // the content after the last one
	Before []byte `json:"before,omitempty"`  // the content before the last edit, until that has ended
	Mixed  bool   `json:"mixed,omitempty"`   // somebody else has edited it between two edits

	// An older version that takes it back removes the file unless it existed, and gives it the mode.
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"`
}

// programDone is a program that setup has put in its place.
type programDone struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"` // in place of an older one
	Sum     string `json:"sum"`     // of what setup has put there
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
	if j.Program == nil && len(j.Files) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(j, "", " ")
	if err != nil {
		return err
	}
	return clientconfig.Write(name, text, 0o600) // configuration files may have keys
}

// takeTurn keeps other setups from the journal. Its error says so if one has it.
func takeTurn(journal string) (unlock func(), err error) {
	unlock, held, err := native.TryLock(lockOf(journal))
	if held {
		err = clientconfig.Errorf(store.ErrBusy, "another setup is running; run this again when it has ended")
	}
	return unlock, err
}

func lockOf(journal string) string { return journal + "-lock" }

// entry returns the edit of a file, or nil.
func (j *journal) entry(file string) *fileDone {
	if i := slices.IndexFunc(j.Files, func(f fileDone) bool { return f.File == file }); i >= 0 {
		return &j.Files[i]
	}
	return nil
}

// hasLeft reports whether a content is the one that the last edit has left, or the one before an edit that
// was killed.
func (f fileDone) hasLeft(content []byte) bool {
	return f.Left != nil && bytes.Equal(content, f.Left) || f.Before != nil && bytes.Equal(content, f.Before)
}

// isOwn reports whether an entry is the one that the last edit has left, or the one before an edit that was
// killed. In the user's own file a client may have noted more in it. Others may have written to the file of
// a project.
func (f fileDone) isOwn(c clientconfig.Client, have clientconfig.Entry) bool {
	return slices.ContainsFunc([][]byte{f.Left, f.Before}, func(content []byte) bool {
		left, err := c.EntryIn(f.File, content, ServerName)
		if c.ProjectOf(f.File) != "" {
			return err == nil && left.Equal(have)
		}
		return err == nil && have.Starts(left)
	})
}

// sum returns the SHA-256 of a content.
func sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
