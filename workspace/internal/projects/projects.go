// Package projects says which agent is the memory of a project. A project is a folder.
//
// The agent has the name of the folder. A record of the installation says which folder
// has the agent, so that two folders of one name do not share a memory. The second one
// gets a name with a part of the hash of its path.
package projects

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxName   = 128   // characters of an agent's name
	maxFolder = 32768 // bytes of a path, the most that a system allows
	hashStep  = 6     // hexadecimal digits of the first hash that is tried
)

// reserved is the agent of whoever names none. No project gets it.
const reserved = "default"

// errTaken says that another folder has the agent.
var errTaken = errors.New("another project has the agent")

// project is the value of a record, as JSON.
type project struct {
	Folder string `json:"folder"`
}

// A Book is the projects of a tenant.
type Book struct {
	Records store.Records
	Tenant  string
}

// CheckFolder returns what is wrong with the path of a folder, or "".
func CheckFolder(folder string) (cause string) {
	switch {
	case !filepath.IsAbs(folder):
		return "it is not an absolute path; give the whole path of the folder"
	case len(folder) > maxFolder:
		return fmt.Sprintf("%d bytes, limit %d; use a folder with a shorter path", len(folder), maxFolder)
	case !utf8.ValidString(folder):
		return "it is not valid UTF-8; name an agent for it"
	}
	return ""
}

// Agent returns the agent of a folder, and records nothing. The path of the folder is
// absolute. Errors: [store.ErrCorrupt] and those of the records.
func (b Book) Agent(folder string) (string, error) {
	for name := range candidates(folder) {
		owner, err := b.Folder(name)
		if err != nil || owner == "" || owner == folder {
			return name, err
		}
	}
	return "", records.Busy()
}

// Take returns the agent of a folder, and records that the folder has it. Errors:
// [store.ErrCorrupt], [store.ErrBusy] and those of the records.
func (b Book) Take(folder string) (string, error) {
	for name := range candidates(folder) {
		err := b.take(folder, name)
		if !errors.Is(err, errTaken) {
			return name, err
		}
	}
	return "", records.Busy()
}

// TakeName records that the folder has an agent of the given name, unless another
// folder has it already. The errors are those of Take.
func (b Book) TakeName(folder, name string) error {
	if name == reserved {
		return nil
	}
	if err := b.take(folder, name); !errors.Is(err, errTaken) {
		return err
	}
	return nil
}

func (b Book) take(folder, name string) error {
	value, err := json.Marshal(project{folder})
	if err != nil {
		return err
	}
	_, err = records.Update(b.Records, b.key(name), func(r store.Record) ([]byte, error) {
		owner, err := decode(r)
		switch {
		case err != nil:
			return nil, err
		case owner == "":
			return value, nil
		case owner != folder:
			return nil, errTaken
		}
		return nil, nil
	})
	return err
}

// Folder returns the folder that has an agent, "" if none has it. Errors:
// [store.ErrCorrupt] and those of the records.
func (b Book) Folder(name string) (string, error) {
	r, err := records.Get(b.Records, b.key(name))
	if err != nil {
		return "", err
	}
	return decode(r)
}

func (b Book) key(name string) string { return "project/" + b.Tenant + "/" + name }

func decode(r store.Record) (folder string, err error) {
	if r.Revision == 0 {
		return "", nil
	}
	var p project
	if json.Unmarshal(r.Value, &p) != nil || p.Folder == "" {
		return "", store.Errorf(store.ErrCorrupt, "the record %s cannot be read", r.Key)
	}
	return p.Folder, nil
}

// candidates are the names that a folder may get, the first that is free: the folder's
// own, and then with more and more of the hash of its path.
func candidates(folder string) func(yield func(string) bool) {
	base, sum := nameOf(folder), sha256.Sum256([]byte(folder))
	digits := hex.EncodeToString(sum[:])
	return func(yield func(string) bool) {
		if base != reserved && !yield(base) {
			return
		}
		for n := hashStep; n <= len(digits); n += hashStep {
			if !yield(cut(base, maxName-1-n) + "-" + digits[:n]) {
				return
			}
		}
	}
}

// nameOf returns the name of a folder in the characters of an agent's name: other
// characters become a hyphen, many of them in a row a single one.
func nameOf(folder string) string {
	words := strings.FieldsFunc(filepath.Base(folder), func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	})
	name := cut(strings.Trim(strings.Join(words, "-"), "-"), maxName)
	if name == "" {
		return "project"
	}
	return name
}

func cut(name string, most int) string { return name[:min(len(name), most)] }
