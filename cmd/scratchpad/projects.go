package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/project"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

// projectsCommand has the commands about projects.
type projectsCommand struct {
	Ls     projectsLs     `cmd:"" default:"1" help:"List the projects, their folders, and when their memory was used."`
	Set    projectsSet    `cmd:"" help:"Give a folder the memory of an agent."`
	Off    projectsOff    `cmd:"" help:"Keep no memory for a folder."`
	Join   projectsJoin   `cmd:"" help:"Share the memory of the project with the same origin."`
	Forget projectsForget `cmd:"" help:"Forget whose memory a folder has. The memory stays."`
}

type (
	projectsLs  struct{}
	projectsSet struct {
		Folder string `arg:"" type:"path" help:"The folder. It is also for all folders below it."`
		Agent  string `arg:"" help:"The agent."`
	}
	projectsOff struct {
		Folder string `arg:"" type:"path" help:"The folder. It is also for all folders below it."`
	}
	projectsJoin   struct{}
	projectsForget struct {
		Folder string `arg:"" type:"path" help:"The folder."`
		Yes    bool   `short:"y" help:"Do not ask first."`
	}
)

// projectRecord is a project in the list.
type projectRecord struct {
	Agent   string     `json:"agent_id,omitempty"`
	Folders []string   `json:"folders"`
	Origin  string     `json:"origin,omitempty"`
	Used    *time.Time `json:"last_use,omitempty"`
	Off     bool       `json:"off,omitempty"`
}

// folderRecord says whose memory a folder has.
type folderRecord struct {
	Folder    string `json:"folder"`
	Agent     string `json:"agent_id,omitempty"`
	Off       bool   `json:"off,omitempty"`
	Forgotten bool   `json:"forgotten,omitempty"`
}

// onProjects runs fn on the records of projects.
func (p *process) onProjects(open opener, fn func(project.Records) error) error {
	if _, err := p.storedDatabase(); err != nil { // records in memory would be of no use
		return err
	}
	return p.use(open, func(db *database.Handle) error {
		r, err := p.projects(p.ctx, db)
		if err != nil {
			return err
		}
		return fn(r)
	})
}

// Run lists the projects.
func (projectsLs) Run(p *process) error {
	return p.onProjects(p.openToLook, func(r project.Records) error {
		list, err := r.List(p.ctx)
		if err != nil {
			return err
		}
		records := []projectRecord{}
		rows := [][]string{{"AGENT", "LAST USE", "ORIGIN", "FOLDERS"}}
		for _, e := range list {
			one := projectRecord{Agent: e.Agent, Folders: e.Folders, Origin: e.Origin, Off: e.Agent == ""}
			name, used := e.Agent, any("")
			if one.Off {
				name = "(off)"
			}
			if !e.Used.IsZero() {
				one.Used, used = &e.Used, e.Used
			}
			records = append(records, one)
			rows = append(rows, terminal.Row(name, used, e.Origin, strings.Join(e.Folders, ", ")))
		}
		return p.list(records, rows, "no projects; a repository becomes one when an agent first writes in it")
	})
}

// changeFolder changes whose memory a folder has, and says what is so now.
func (p *process) changeFolder(
	open opener, change func(r project.Records) (now folderRecord, says string, err error),
) error {
	return p.onProjects(open, func(r project.Records) error {
		now, says, err := change(r)
		if err != nil {
			return err
		}
		return p.say(now, "%s; restart the client if it works there", says)
	})
}

// Run gives a folder the memory of an agent.
func (c projectsSet) Run(p *process) error {
	return p.changeFolder(p.openDatabase, func(r project.Records) (folderRecord, string, error) {
		return folderRecord{Folder: c.Folder, Agent: c.Agent}, fmt.Sprintf("%s: the memory of agent %s, also below it",
			terminal.OneLine(c.Folder), c.Agent), r.Set(p.ctx, c.Folder, c.Agent)
	})
}

// Run keeps no memory for a folder.
func (c projectsOff) Run(p *process) error {
	return p.changeFolder(p.openDatabase, func(r project.Records) (folderRecord, string, error) {
		says := terminal.OneLine(c.Folder) + ": no memory here and below it; what is stored stays; scratchpad " +
			"projects forget takes it back"
		return folderRecord{Folder: c.Folder, Off: true}, says, r.SetOff(p.ctx, c.Folder)
	})
}

// Run shares the memory that is offered to the working folder.
func (projectsJoin) Run(p *process) error {
	return p.changeFolder(p.openExisting, func(r project.Records) (folderRecord, string, error) {
		with, err := r.Join(p.ctx, ".")
		return folderRecord{Folder: with.Folder, Agent: with.Agent}, fmt.Sprintf("this folder shares the memory of %s "+
			"(%s)", with.Agent, terminal.OneLine(with.Folder)), err
	})
}

// Run forgets whose memory a folder has.
func (c projectsForget) Run(p *process) error {
	return p.changeFolder(p.openExisting, func(r project.Records) (folderRecord, string, error) {
		agent, err := r.Forget(p.ctx, c.Folder, func(agent string, folders []string) error {
			return p.confirm(c.Yes, []string{c.Folder}, "Forget that %s has the memory of agent %s?",
				terminal.OneLine(strings.Join(folders, ", ")), agent)
		})
		says := terminal.OneLine(c.Folder) + ": forgotten"
		if agent != "" {
			says += "; its memory stays; scratchpad projects set FOLDER " + agent + " gives it back"
		}
		return folderRecord{Folder: c.Folder, Agent: agent, Forgotten: true}, says, err
	})
}
