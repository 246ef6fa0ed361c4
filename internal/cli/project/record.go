package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A memory is what is recorded of a repository or of a folder, as JSON.
type memory struct {
	Agent   string   `json:"agent,omitempty"` // "": there is no memory
	Key     string   `json:"key,omitempty"`   // of the repository; "": it is of a folder
	Older   bool     `json:"older,omitempty"` // an older version has recorded the folder; else a person has named it
	Folders []string `json:"folders"`         // of a repository: in which something was stored, the last one at the end
	Origin  string   `json:"origin,omitempty"`
}

func (m memory) isSaid() bool { return m.Key == "" && !m.Older }

// A list is what is recorded of all projects, the first recorded first.
type list []memory

// index returns where a memory is in the list, -1 if it is not there.
func (l list) index(is func(memory) bool) int { return slices.IndexFunc(l, is) }

// known returns where a repository is in the list, -1 if it is not there. One that could not keep an id
// when it was recorded, and has got one since, is known by its path until it is settled again.
func (l list) known(repo *repository.Repository, id string) int {
	for _, id := range []string{id, ""} {
		key, _ := keys(id, repo.Common)
		if i := l.index(func(m memory) bool { return m.Key == key }); i >= 0 {
			return i
		}
	}
	return -1
}

// nearest returns where the memory of the nearest folder at or above another is, -1 if there is none. may
// says which folders count.
func (l list) nearest(folder string, older bool, may func(string) bool) int {
	best := -1
	for i, m := range l {
		if m.Key != "" || m.Older != older || len(m.Folders) == 0 {
			continue
		}
		f := m.Folders[0]
		if f == "" || !repository.Contains(f, folder) || !may(f) {
			continue
		}
		if best < 0 || len(f) > len(l[best].Folders[0]) || f == l[best].Folders[0] && m.Agent == nameOf(f) {
			best = i
		}
	}
	return best
}

func (r Records) key() string { return "projects/" + r.Tenant }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// load returns what is recorded. Errors: those of the store.
func (r Records) load(ctx context.Context) (list, error) {
	if r.Store == nil {
		return nil, nil
	}
	found, err := records.Get(r.Store.System(ctx), r.key())
	if err != nil {
		return nil, err
	}
	return r.decode(ctx, found)
}

// update changes what is recorded to what change returns; nil: it stays. Errors: those of change and of the
// store.
func (r Records) update(ctx context.Context, change func(list) (list, error)) error {
	_, err := records.Update(r.Store.System(ctx), r.key(), func(found workspace.Record) ([]byte, error) {
		l, err := r.decode(ctx, found)
		if err == nil {
			l, err = change(l)
		}
		if err != nil || l == nil {
			return nil, err
		}
		return json.Marshal(l)
	})
	return err
}

// decode returns the list in a record. As long as there is none, it is what older versions have recorded.
func (r Records) decode(ctx context.Context, found workspace.Record) (l list, err error) {
	if found.Revision == 0 {
		return r.older(ctx)
	}
	if json.Unmarshal(found.Value, &l) != nil {
		return nil, corrupt(found)
	}
	return slices.DeleteFunc(l, func(m memory) bool { return len(m.Folders) == 0 }), nil
}

// olderKinds are the records of older versions: one for each folder, repository and name. They stay, because
// a process of such a version may still run, until something is forgotten.
var olderKinds = []string{"folder/", "repository/", "project/"}

// older returns what older versions have recorded.
func (r Records) older(ctx context.Context) (l list, err error) {
	for _, kind := range olderKinds {
		prefix := kind + r.Tenant + "/"
		for one, err := range records.All(r.Store.System(ctx), prefix, "") {
			var v struct {
				memory
				Folder string
			}
			if err == nil && json.Unmarshal(one.Value, &v) != nil {
				err = corrupt(one)
			}
			if err != nil {
				return nil, err
			}
			switch name := one.Key[len(prefix):]; {
			case kind == "folder/":
				l = append(l, memory{Agent: v.Agent, Folders: []string{v.Folder}})
			case kind == "repository/":
				l = append(l, memory{Agent: v.Agent, Key: name, Folders: v.Folders, Origin: v.Origin})
			case v.Key == "":
				l = append(l, memory{Agent: name, Older: true, Folders: []string{v.Folder}})
			}
		}
	}
	return l, nil
}

// forgetOlder removes what older versions have recorded. The list has it.
func (r Records) forgetOlder(ctx context.Context) (err error) {
	for _, kind := range olderKinds {
		err = errors.Join(err, records.DeleteAll(r.Store.System(ctx), kind+r.Tenant+"/"))
	}
	return err
}

func corrupt(r workspace.Record) error {
	return workspace.Errorf(workspace.ErrCorrupt, "the record %s cannot be read", r.Key)
}
