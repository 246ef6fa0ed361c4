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
func (r Records) List(ctx context.Context) (entries []Entry, err error) {
	of, err := r.byAgent(ctx)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	for q := (workspace.AgentsQuery{Patterns: []string{"*"}, Limit: 200}); ; {
		page, err := r.Service.Agents(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Agents {
			if e := of[a.Agent]; e != nil {
				e.Used = a.Updated
			}
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(of)) {
		entries = append(entries, *of[agent])
	}
	if entries[0].Agent == "" {
		entries = append(entries[1:], entries[0])
	}
	return entries, nil
}

// byAgent returns the projects of each agent, and under "" the folders without memory.
func (r Records) byAgent(ctx context.Context) (of map[string]*Entry, err error) {
	l, err := r.load(ctx)
	of = map[string]*Entry{}
	for _, m := range l {
		folders := m.Folders
		if !m.isSaid() {
			folders = r.has(ctx, l, m)
		}
		if len(folders) == 0 {
			continue
		}
		if of[m.Agent] == nil {
			of[m.Agent] = &Entry{Agent: m.Agent}
		}
		e := of[m.Agent]
		again := func(f string) bool { return slices.Contains(folders, f) }
		e.Origin, e.Folders = cmp.Or(e.Origin, m.Origin), append(slices.DeleteFunc(e.Folders, again), folders...)
	}
	return of, err
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
	all, err := r.byAgent(ctx)
	for agent, e := range all {
		of[agent] = e.Folders[len(e.Folders)-1]
	}
	return of, err
}
