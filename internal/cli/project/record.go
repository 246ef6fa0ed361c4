package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

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
func (r Records) load(ctx context.Context) (l list, err error) {
	if r.Store == nil {
		return nil, nil
	}
	found, err := records.Get(r.Store.System(ctx), r.key())
	if err == nil {
		l, _, err = r.decode(ctx, found)
	}
	return l, err
}

// update changes what is recorded to what change returns; nil: it stays. What older versions have recorded
// moves into the list before, and is removed, so that nothing comes back if the process is killed between
// the two. Errors: those of change and of the store.
func (r Records) update(ctx context.Context, change func(list) (list, error)) error {
	system := r.Store.System(ctx)
	for {
		var old []workspace.Record
		_, err := records.Update(system, r.key(), func(found workspace.Record) (value []byte, err error) {
			var l list
			if l, old, err = r.decode(ctx, found); err == nil && len(old) == 0 {
				l, err = change(l)
			}
			if err != nil || l == nil {
				return nil, err
			}
			return json.Marshal(l)
		})
		if err != nil || len(old) == 0 {
			return err
		}
		for _, part := range old {
			if _, err := records.Delete(system, part); err != nil {
				return err
			}
		}
	}
}

// decode returns the list in a record. Older versions had a record for each repository, folder and name.
// Those that are still there are added to the list, and returned.
func (r Records) decode(ctx context.Context, found workspace.Record) (l list, old []workspace.Record, err error) {
	if found.Revision > 0 && json.Unmarshal(found.Value, &l) != nil {
		return nil, nil, corrupt(found)
	}
	l = slices.DeleteFunc(l, func(m memory) bool { return len(m.Folders) == 0 })
	before, claimed := len(l), map[string]time.Time{} // when an agent became that of a repository
	for _, kind := range []string{"folder/", "project/", "repository/"} {
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
				return nil, nil, err
			}
			old = append(old, one)
			switch name := one.Key[len(prefix):]; {
			case kind == "folder/":
				if i := l.said(v.Folder); i >= 0 && one.Updated.After(found.Updated) {
					l[i].Agent = v.Agent // said since, to an older version that goes on
				}
				l = l.with(memory{Agent: v.Agent, Folders: []string{v.Folder}})
			case kind == "repository/":
				l = l.with(memory{Agent: v.Agent, Key: name, Folders: v.Folders, Origin: v.Origin})
			case v.Key == "":
				l = l.with(memory{Agent: name, Older: true, Folders: []string{v.Folder}})
			default:
				claimed[name] = one.Updated
			}
		}
	}
	slices.SortStableFunc(l[before:], func(a, b memory) int { return claimed[a.Agent].Compare(claimed[b.Agent]) })
	return l, old, nil
}

// with returns the list with a memory, unless it has one of the same place.
func (l list) with(m memory) list {
	if l.index(func(has memory) bool {
		return has.Key == m.Key && has.Older == m.Older && (m.Key != "" || has.Folders[0] == m.Folders[0] &&
			(has.Agent == m.Agent || !m.Older))
	}) >= 0 {
		return l
	}
	return append(l, m)
}

func corrupt(r workspace.Record) error {
	return workspace.Errorf(workspace.ErrCorrupt, "the record %s cannot be read", r.Key)
}
