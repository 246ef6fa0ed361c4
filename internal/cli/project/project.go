// Package project says which memory a folder is for, and keeps the records of it.
//
// A project is a repository of git. Its memory is that of an agent with the name of its folder.
// The name is recorded when something is first stored; until then nothing is. A person can give
// a folder and all below it the memory of any agent, or none.
//
// The records, in the system records of a database, are of these kinds. No record has an id of
// a repository, but its hash.
//
//	repository/TENANT/HASH  the agent of a repository, its folders and its origin
//	project/TENANT/AGENT    which repository has got the name, or which folder, from an older version
//	folder/TENANT/HASH      what a person has said of a folder
package project

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Everything is the agent whose memory is for everything that belongs to no project.
const Everything = "default"

// Records are the records of projects of a tenant. With a nil Store there is no database yet,
// and they are empty.
type Records struct {
	Store   workspace.Store
	Service *workspace.Service // of the tenant
	Tenant  string
	Local   bool // the database is a file of this machine
}

// A Project says which memory a folder is for.
type Project struct {
	Agent   string // whose memory it is; before Settle, the name that it would get; "" if Off
	Name    string // of the project; "" for the memory for everything, and if Off
	Settled bool   // the agent is recorded, or needs no record
	Off     bool   // somebody has said that there is no memory here
	Top     string // the folder that the memory is for; "" for the memory for everything
	Offer   *Known // a project that this one could share the memory of, by its origin; nil: none

	records Records
	place   Place
	ruled   bool   // somebody, or an older version, has said whose memory the folder has
	older   string // the agent that an older version recorded for the whole repository; ""
}

// Known is a project with a memory.
type Known struct{ Agent, Folder string }

// kept is what is recorded of a repository, as JSON.
type kept struct {
	Agent   string   `json:"agent"`
	Folders []string `json:"folders"` // in which something was stored, the last one at the end
	Origin  string   `json:"origin,omitempty"`
}

// claim is what is recorded of an agent's name, as JSON.
type claim struct {
	Folder string `json:"folder"`
	Key    string `json:"key,omitempty"` // of the repository; "": an older version has recorded the folder
}

// rule is what a person has said of a folder, as JSON.
type rule struct {
	Folder string `json:"folder"`
	Agent  string `json:"agent,omitempty"` // "": no memory
}

// Find returns the project of a place, and writes nothing. Errors: those of the store.
func (r Records) Find(ctx context.Context, place Place) (Project, error) {
	p, err := r.find(ctx, place)
	if err != nil || p.ruled || place.repo == nil || !r.Local || r.Service == nil {
		return p, err
	}
	if holds, err := r.holds(ctx, p.Agent); err != nil || holds {
		return p, err
	}
	p.Offer, err = r.offer(ctx, place.repo.Origin(), p.Agent)
	return p, err
}

// find is Find without the offer.
func (r Records) find(ctx context.Context, place Place) (Project, error) {
	p := Project{records: r, place: place}
	ruled, err := r.ruleOf(ctx, place.Folder)
	if err == nil && ruled == nil {
		ruled, err = r.olderOf(ctx, place)
	}
	switch {
	case err != nil:
		return p, err
	case ruled != nil:
		p.ruled, p.Agent, p.Off, p.Settled, p.Top = true, ruled.Agent, ruled.Agent == "", true, ruled.Folder
	case place.repo != nil:
		p.Top = place.repo.Top
		err = r.ofRepository(ctx, &p)
	default:
		p.Agent, p.Settled = Everything, true
	}
	if p.Agent != Everything {
		p.Name = p.Agent
	}
	return p, err
}

// known returns what is recorded of a repository, and under which key. One that could not keep an
// id when it was recorded, and has got one since, is known by its path until it is settled again.
func (r Records) known(ctx context.Context, repo *repository.Repository, id string) (k kept, key string, err error) {
	for _, id := range []string{id, ""} {
		at, _ := keys(id, repo.Common)
		if k, err = get[kept](r.system(ctx), repositoryKey(r, at)); err != nil || k.Agent != "" {
			return k, at, err
		}
	}
	key, _ = keys(id, repo.Common)
	return k, key, nil
}

// ofRepository fills in the agent of a repository.
func (r Records) ofRepository(ctx context.Context, p *Project) (err error) {
	repo := p.place.repo
	id := repo.ID()
	known, _, err := r.known(ctx, repo, id)
	if err != nil || known.Agent != "" {
		p.Agent, p.Settled = known.Agent, true
		return err
	}
	for _, folder := range []string{repo.Main(), repo.Top} {
		older, err := r.nearest(ctx, folder, func(f string) bool { return f == folder })
		if err != nil {
			return err
		} else if older != nil {
			p.older, p.Agent = older.Agent, older.Agent
			return nil
		}
	}
	_, digits := keys(id, repo.Common)
	for name := range names(repo.Main(), digits) {
		has, err := get[claim](r.system(ctx), claimKey(r, name))
		taken := has.Folder != "" || has.Key != ""
		if err == nil && !taken {
			taken, err = r.exists(ctx, name)
		}
		if err != nil {
			return err
		}
		if !taken {
			p.Agent = name
			return nil
		}
	}
	return records.Busy()
}

// olderOf returns what an older version has recorded of the nearest folder at or above a place, nil
// if nothing. In a repository it is one below the top folder: what is recorded of that is for the
// whole repository. Outside, a folder that is home, or above it, counts for itself alone.
func (r Records) olderOf(ctx context.Context, place Place) (*rule, error) {
	repo := place.repo
	if repo != nil && place.Folder == repo.Top {
		return nil, nil
	}
	return r.nearest(ctx, place.Folder, func(f string) bool {
		if repo != nil {
			return f != repo.Top && repository.Contains(repo.Top, f)
		}
		return f == place.Folder || place.home == "" || !repository.Contains(f, place.home)
	})
}

// nearest returns what an older version has recorded of the nearest folder at or above another.
func (r Records) nearest(ctx context.Context, folder string, may func(string) bool) (found *rule, err error) {
	for c, err := range all[claim](r.system(ctx), claimKey(r, "")) {
		f := c.value.Folder
		if err != nil {
			return nil, err
		} else if c.value.Key != "" || f == "" || !repository.Contains(f, folder) || !may(f) {
			continue
		}
		if found == nil || len(f) > len(found.Folder) || f == found.Folder && c.name == nameOf(f) {
			found = &rule{Folder: f, Agent: c.name}
		}
	}
	return found, nil
}

// offer returns the project with an origin that was settled first, but not that of an agent. Its
// memory holds something.
func (r Records) offer(ctx context.Context, origin, but string) (offer *Known, err error) {
	if origin == "" {
		return nil, nil
	}
	var first time.Time
	for k, err := range all[kept](r.system(ctx), repositoryKey(r, "")) {
		v := k.value
		if err != nil {
			return nil, err
		} else if v.Origin != origin || v.Agent == but || v.Agent == Everything {
			continue
		}
		named, err := records.Get(r.system(ctx), claimKey(r, v.Agent))
		if err != nil {
			return nil, err
		}
		if named.Revision == 0 {
			named = k.Record
		}
		folders := r.has(ctx, v)
		if len(folders) == 0 || offer != nil && !named.Updated.Before(first) {
			continue
		}
		if holds, err := r.holds(ctx, v.Agent); err != nil {
			return nil, err
		} else if holds {
			first, offer = named.Updated, &Known{Agent: v.Agent, Folder: folders[len(folders)-1]}
		}
	}
	return offer, nil
}

// has returns the folders that have the memory of a repository now. If it has none, they are those
// that are gone.
func (r Records) has(ctx context.Context, k kept) (folders []string) {
	for _, folder := range k.Folders {
		if place, err := At(folder); err == nil {
			if p, err := r.find(ctx, place); err == nil && p.Agent == k.Agent {
				folders = append(folders, folder)
			}
		}
	}
	if len(folders) == 0 {
		folders = slices.DeleteFunc(slices.Clone(k.Folders), func(f string) bool { return !isGone(f) })
	}
	return folders
}

// holds reports whether something is in the memory of an agent.
func (r Records) holds(ctx context.Context, agent string) (bool, error) {
	look, err := r.Service.Look(agent)
	if err != nil {
		return false, err
	}
	has, err := look.Usage(ctx)
	return has.Files+has.Logs+has.Bytes > 0, err
}

// OfferText returns the sentence that offers the memory of another project, "" if none is offered.
func (p Project) OfferText() string {
	if p.Offer == nil {
		return ""
	}
	return fmt.Sprintf("This folder has the origin of %s (%s); `scratchpad projects join` shares that memory.",
		p.Offer.Agent, show(p.Offer.Folder, p.place.home))
}

// ruleOf returns what a person has said of the nearest folder at or above a folder, nil if nothing.
func (r Records) ruleOf(ctx context.Context, folder string) (nearest *rule, err error) {
	for found, err := range all[rule](r.system(ctx), folderKey(r, "")) {
		if err != nil {
			return nil, err
		}
		f := found.value.Folder
		if f != "" && repository.Contains(f, folder) && (nearest == nil || len(f) > len(nearest.Folder)) {
			nearest = &found.value
		}
	}
	return nearest, nil
}
