package project

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An Entry is a memory in the list of projects, or a folder without one.
type Entry struct {
	Agent   string // "": there is no memory
	Folders []string
	Origin  string
	Used    time.Time // when something was last written; zero: never, or not known
}

// List returns all projects in the order of their agents, and then the folders without memory. A
// folder that has got another memory is left out, and so is one that is gone, unless all are.
// Errors: those of the store.
func (r Records) List(ctx context.Context) ([]Entry, error) {
	of := map[string]*Entry{}
	add := func(agent, origin string, folders ...string) {
		if of[agent] == nil {
			of[agent] = &Entry{Agent: agent}
		}
		of[agent].Origin = cmp.Or(of[agent].Origin, origin)
		of[agent].Folders = append(of[agent].Folders, folders...)
	}
	l, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range l {
		folders := m.Folders
		if !m.isSaid() {
			folders = r.has(ctx, l, m)
		}
		if len(folders) > 0 {
			add(m.Agent, m.Origin, folders...)
		}
	}
	agents := slices.Sorted(maps.Keys(of))
	if len(agents) > 0 && agents[0] == "" {
		agents = append(agents[1:], "")
	}
	list := make([]Entry, 0, len(agents))
	for some := range slices.Chunk(agents, pageOfAgents) {
		if err := r.addUse(ctx, of, some); err != nil {
			return nil, err
		}
		for _, agent := range some {
			list = append(list, *of[agent])
		}
	}
	return list, nil
}

const pageOfAgents = 100 // that are asked for at once

// addUse adds to the entries of some agents when they were used.
func (r Records) addUse(ctx context.Context, of map[string]*Entry, agents []string) error {
	named := slices.DeleteFunc(slices.Clone(agents), func(agent string) bool { return agent == "" })
	page, err := r.Service.FindAgents(ctx, workspace.AgentsQuery{Patterns: named, Limit: pageOfAgents})
	for _, a := range page.Agents {
		of[a.Agent].Used = a.Updated
	}
	return err
}

// Name returns the name of the project whose memory an agent is: the path of the origin, or else the
// last part of the folder. It is "" for an agent of no project. Errors: those of the store.
func (r Records) Name(ctx context.Context, agent string) (string, error) {
	l, err := r.load(ctx)
	i := l.index(func(m memory) bool { return m.Agent == agent && !m.isSaid() && len(m.Folders) > 0 })
	if err != nil || i < 0 {
		return "", err
	}
	if _, at, is := strings.Cut(l[i].Origin, "://"); is {
		_, name, _ := strings.Cut(at, "/")
		return name, nil
	}
	folder := l[i].Folders[0]
	return folder[strings.LastIndexAny(folder, `/\`)+1:], nil // it may be one of another system
}

// Folders returns the last folder of each agent that is the memory of a project. The errors are
// those of List.
func (r Records) Folders(ctx context.Context) (map[string]string, error) {
	of := map[string]string{}
	list, err := r.List(ctx)
	for _, e := range list {
		of[e.Agent] = e.Folders[len(e.Folders)-1]
	}
	return of, err
}
