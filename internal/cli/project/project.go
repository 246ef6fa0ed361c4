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
	"cmp"
	"context"
	"fmt"
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
	ruled   bool   // somebody has said whose memory it is
	older   string // the agent that an older version recorded; ""
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
	p := Project{records: r, place: place}
	ruled, err := r.ruleOf(ctx, place.Folder)
	switch {
	case err != nil:
		return p, err
	case ruled != nil:
		p.ruled, p.Agent, p.Off, p.Settled, p.Top = true, ruled.Agent, ruled.Agent == "", true, ruled.Folder
	case place.repo != nil:
		p.Top = place.repo.Top
		err = r.ofRepository(ctx, &p)
	default:
		p.Settled = true
		p.Agent, p.Top, err = r.olderOf(ctx, place)
		p.Agent = cmp.Or(p.Agent, Everything)
	}
	if p.Agent != Everything {
		p.Name = p.Agent
	}
	return p, err
}

// ofRepository fills in the agent of a repository.
func (r Records) ofRepository(ctx context.Context, p *Project) (err error) {
	repo := p.place.repo
	id := repo.ID()
	key, digits := keys(id, repo.Common)
	known, err := get[kept](r.system(ctx), repositoryKey(r, key))
	if err != nil || known.Agent != "" {
		p.Agent, p.Settled = known.Agent, true
		return err
	}
	if p.older, _, err = r.olderOf(ctx, p.place); err != nil || p.older != "" {
		p.Agent = p.older
		return err
	}
	for name := range names(repo.Top, digits) {
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
			break
		}
	}
	if p.Agent == "" {
		return records.Busy()
	}
	p.Offer, err = r.offer(ctx, repo.Origin(), p.Agent)
	return err
}

// olderOf returns the agent that an older version has recorded for the repository's top folder,
// or else for the nearest folder at or above the place inside of the repository. Outside of a
// repository, it is that of the nearest folder at or above the place; one that is home, or above
// it, counts for itself alone.
func (r Records) olderOf(ctx context.Context, place Place) (agent, folder string, err error) {
	var olds []record[claim]
	for c, err := range all[claim](r.system(ctx), claimKey(r, "")) {
		if err != nil {
			return "", "", err
		}
		if c.value.Key == "" && c.value.Folder != "" {
			olds = append(olds, c)
		}
	}
	nearest := func(folder string, may func(string) bool) (agent, found string) {
		for _, c := range olds {
			f := c.value.Folder
			if len(f) >= len(found) && repository.Contains(f, folder) && may(f) && (f != found || c.name == nameOf(f)) {
				agent, found = c.name, f
			}
		}
		return agent, found
	}
	if place.repo == nil {
		agent, folder = nearest(place.Folder, func(f string) bool {
			return f == place.Folder || place.home == "" || !repository.Contains(f, place.home)
		})
		return agent, folder, nil
	}
	top := place.repo.Top
	for _, folder := range []string{place.repo.Main(), top} {
		if agent, _ = nearest(folder, func(f string) bool { return f == folder }); agent != "" {
			return agent, folder, nil
		}
	}
	agent, folder = nearest(place.Folder, func(f string) bool { return repository.Contains(top, f) })
	return agent, folder, nil
}

// offer returns the project with an origin whose record was changed last, but not that of an agent.
func (r Records) offer(ctx context.Context, origin, but string) (offer *Known, err error) {
	if !r.Local || origin == "" {
		return nil, nil
	}
	var last time.Time
	for k, err := range all[kept](r.system(ctx), repositoryKey(r, "")) {
		if err != nil {
			return nil, err
		}
		v := k.value
		if v.Origin == origin && v.Agent != but && len(v.Folders) > 0 && !k.Updated.Before(last) {
			last, offer = k.Updated, &Known{Agent: v.Agent, Folder: v.Folders[len(v.Folders)-1]}
		}
	}
	return offer, nil
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
