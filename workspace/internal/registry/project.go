package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxAgent  = 128   // characters of an agent's name
	maxFolder = 32768 // bytes of a path, the most that a system allows
	hashStep  = 6     // hexadecimal digits of the first hash that is tried
)

// reserved is the agent of whoever names none. No project gets it.
const reserved = "default"

// project is the value of a record, as JSON.
type project struct {
	Folder string `json:"folder"`
}

// Projects say which agent of a tenant is the memory of a project. A project is a folder.
//
// The agent has the name of the folder. A record says which folder has the agent, so that
// two folders of one name do not share a memory. The second one gets a name with a part of
// the hash of its path.
type Projects struct {
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

// Agent returns the agent of a folder. The path of the folder is absolute. If take, Agent
// records that the folder has the agent. Errors: [store.ErrCorrupt], [store.ErrBusy] and
// those of the records.
func (p Projects) Agent(folder string, take bool) (agent string, err error) {
	for name := range candidates(folder) {
		owner, err := p.Folder(name)
		if take && err == nil && owner == "" {
			owner, err = p.take(folder, name)
		}
		if err != nil || owner == "" || owner == folder {
			return name, err
		}
	}
	return "", records.Busy()
}

// TakeName records that the folder has an agent of the given name, unless another
// folder has it already. The errors are those of Agent.
func (p Projects) TakeName(folder, name string) error {
	if name == reserved {
		return nil
	}
	_, err := p.take(folder, name)
	return err
}

// take returns the folder that has an agent. An agent that no folder has becomes that of the
// given one.
func (p Projects) take(folder, name string) (owner string, err error) {
	_, err = update(p.Records, p.key(name), func(of *project, _ bool) (bool, error) {
		owner = cmp.Or(of.Folder, folder)
		isNew := of.Folder == ""
		of.Folder = owner
		return isNew, nil
	})
	return owner, err
}

// Folder returns the folder that has an agent, "" if none has it. Errors:
// [store.ErrCorrupt] and those of the records.
func (p Projects) Folder(name string) (string, error) {
	of, _, err := get[project](p.Records, p.key(name))
	return of.Folder, err
}

func (p Projects) key(name string) string { return "project/" + p.Tenant + "/" + name }

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
			if !yield(cut(base, maxAgent-1-n) + "-" + digits[:n]) {
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
	name := cut(strings.Trim(strings.Join(words, "-"), "-"), maxAgent)
	if name == "" {
		return "project"
	}
	return name
}

func cut(name string, most int) string { return name[:min(len(name), most)] }
