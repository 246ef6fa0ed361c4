// Package project says which memory a folder is for, and keeps the record of it.
//
// A project is a repository of git. Its memory is that of an agent with the name of its folder.
// The name is recorded when something is first stored; until then nothing is. A person can give
// a folder and all below it the memory of any agent, or none.
//
// All projects of a tenant are in one of the system records of a database, projects/TENANT. It has
// no id of a repository, but its hash.
package project

import (
	"context"
	"fmt"

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

// Find returns the project of a place, and writes nothing. Errors: those of the store.
func (r Records) Find(ctx context.Context, place Place) (Project, error) {
	l, err := r.load(ctx)
	if err != nil {
		return Project{}, err
	}
	return r.findIn(ctx, l, place)
}

// findIn is Find in a list.
func (r Records) findIn(ctx context.Context, l list, place Place) (Project, error) {
	p, err := r.find(ctx, l, place)
	if err != nil || p.ruled || place.repo == nil || !r.Local || r.Service == nil {
		return p, err
	}
	if holds, err := r.holds(ctx, p.Agent); err != nil || holds {
		return p, err
	}
	p.Offer, err = r.offer(ctx, l, place.repo.Origin(), p.Agent)
	return p, err
}

// find is Find without the offer.
func (r Records) find(ctx context.Context, l list, place Place) (p Project, err error) {
	p = Project{records: r, place: place}
	ruled := l.nearest(place.Folder, false, func(string) bool { return true })
	if ruled < 0 {
		ruled = l.nearest(place.Folder, true, place.mayBeOlder)
	}
	switch {
	case ruled >= 0:
		p.ruled, p.Agent, p.Settled, p.Top = true, l[ruled].Agent, true, l[ruled].Folders[0]
		p.Off = p.Agent == ""
	case place.repo != nil:
		p.Top = place.repo.Top
		err = r.ofRepository(ctx, l, &p)
	default:
		p.Agent, p.Settled = Everything, true
	}
	if p.Agent != Everything {
		p.Name = p.Agent
	}
	return p, err
}

// mayBeOlder reports whether a folder at or above the place counts that an older version has recorded. In
// a repository it is one below the top folder: what is recorded of that is for the whole repository.
// Outside, a folder that is home, or above it, counts for itself alone.
func (p Place) mayBeOlder(folder string) bool {
	if p.repo != nil {
		return folder != p.repo.Top && repository.Contains(p.repo.Top, folder)
	}
	return folder == p.Folder || p.home == "" || !repository.Contains(folder, p.home)
}

// ofRepository fills in the agent of a repository.
func (r Records) ofRepository(ctx context.Context, l list, p *Project) error {
	repo := p.place.repo
	id := repo.ID()
	if i := l.known(repo, id); i >= 0 {
		p.Agent, p.Settled = l[i].Agent, true
		return nil
	}
	for _, folder := range []string{repo.Main(), repo.Top} {
		if i := l.nearest(folder, true, func(f string) bool { return f == folder }); i >= 0 {
			p.older, p.Agent = l[i].Agent, l[i].Agent
			return nil
		}
	}
	_, digits := keys(id, repo.Common)
	for name := range names(repo.Main(), digits) {
		if taken, err := r.isTaken(ctx, l, name); err != nil || !taken {
			p.Agent = name
			return err
		}
	}
	return records.Busy()
}

// offer returns the project with an origin that was settled first, but not that of an agent. Its
// memory holds something.
func (r Records) offer(ctx context.Context, l list, origin, but string) (*Known, error) {
	for _, m := range l {
		if origin == "" || m.Origin != origin || m.Agent == but || m.Agent == Everything {
			continue
		}
		folders := r.has(ctx, l, m)
		if len(folders) == 0 {
			continue
		}
		if holds, err := r.holds(ctx, m.Agent); err != nil || holds {
			return &Known{Agent: m.Agent, Folder: folders[len(folders)-1]}, err
		}
	}
	return nil, nil
}

// has returns the folders that have the memory of a repository now. If it has none, they are those
// that are gone, or that another repository has taken the place of.
func (r Records) has(ctx context.Context, l list, m memory) (folders []string) {
	var gone []string
	for _, folder := range m.Folders {
		var p Project
		place, err := At(folder)
		if err == nil {
			p, err = r.find(ctx, l, place)
		}
		switch {
		case err == nil && p.Agent == m.Agent:
			folders = append(folders, folder)
		case isGone(folder), err == nil && m.Key != "" && !p.ruled:
			gone = append(gone, folder)
		}
	}
	if len(folders) == 0 {
		return gone
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
