package console

import (
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxLogs  = 200 // logs that one page shows
	newest   = 15  // changes beside the files
	maxReads = 20  // pages of files, or of logs, that a page looks at for a part of their paths
)

// agentData is what the page of an agent shows.
type agentData struct {
	Head    agentHead
	Profile workspace.Profile
	Project string // as in agentRow
	Usage   workspace.UsageReport
	Part    string // of the paths that was looked for; "/notes/" is the beginning of the paths
	Tree    *folder
	More    string               // the address of the files after these; "": there are none
	Deleted []workspace.FileInfo // that can be restored
	Undo    workspace.FileInfo   // that the person has just deleted; zero: none
	Below   string               // the path before the first file; "": the first files are here
	Logs    []workspace.LogHead
	AllLogs bool
	Changes []changeRow
	Configs []Config
}

// An agentHead is what all pages of an agent begin with.
type agentHead struct {
	Agent string
	Tab   string // that is open
	Write bool   // the person may change things
	Undo  bool   // a file that is deleted can be restored
	Token string // for forms
}

// agent shows the page of an agent.
func (v *visit) agent() (err error) {
	ctx, agent := v.r.Context(), v.ws.Agent()
	d := agentData{Head: v.agentHead("Files"), Part: v.form.Get("q"), Below: v.form.Get("after")}
	if d.Usage, err = v.ws.Usage(ctx); err != nil {
		return err
	}
	if d.Profile, _, err = v.person.Service.Profile(ctx, agent); err != nil {
		return err
	}
	if d.Project, err = v.project(agent); err != nil {
		return err
	}
	if err := v.take(v.h.room, 64<<10+fileMemory*min(d.Usage.Files, maxFiles)); err != nil {
		return err
	}
	files, err := v.findFiles(d.Part, d.Below)
	if err != nil {
		return err
	}
	d.Tree = newTree(agent, files.Files)
	if files.Next != "" {
		d.More = query(agentURL(agent), "q", d.Part, "after", files.Next)
	}
	if d.Logs, d.AllLogs, err = v.findLogs(d.Part); err != nil {
		return err
	}
	changes, err := v.ws.ChangeLog(ctx, workspace.ChangeLogQuery{Limit: newest, Join: true})
	if err == nil {
		d.Changes, err = v.changeRows(changes.Changes)
	}
	if err != nil {
		return err
	}
	if d.Deleted, err = v.deletedFiles(""); err != nil {
		return err
	}
	d.setDeleted(v.form.Get("deleted"))
	if len(files.Files) == 0 && len(d.Logs) == 0 && d.Below == "" && d.Part == "" {
		d.Configs = v.configs(agent, "")
	}
	v.follow()
	return v.render("agent", agent, d)
}

// setDeleted leaves those deleted files that the page shows. undo is the path of the one that the
// person has just deleted.
func (d *agentData) setDeleted(undo string) {
	if i := slices.IndexFunc(d.Deleted, func(f workspace.FileInfo) bool { return f.Path == undo }); i >= 0 {
		d.Undo = d.Deleted[i]
	}
	d.Deleted = slices.DeleteFunc(d.Deleted, func(f workspace.FileInfo) bool { return !has(f.Path, d.Part) })
	d.Deleted = d.Deleted[:min(len(d.Deleted), maxLogs)]
}

// configs returns what a person pastes into clients, as Options.Config.
func (v *visit) configs(agent, key string) []Config {
	if v.h.o.Config == nil {
		return nil
	}
	return v.h.o.Config(v.r.Context(), agent, key)
}

// agentHead returns the head of a page of the agent in the address.
func (v *visit) agentHead(tab string) agentHead {
	d := agentHead{Agent: v.ws.Agent(), Tab: tab, Write: v.person.Write, Undo: v.person.Service.KeepDeleted() > 0}
	if v.session != "" {
		d.Token = formToken(v.session)
	}
	return d
}

// has reports whether a path has a part, in upper or lower case. A part that begins with a slash
// is the beginning of the path.
func has(path, part string) bool {
	path, part = strings.ToLower(path), strings.ToLower(part)
	if prefix, ok := strings.CutPrefix(part, "/"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return strings.Contains(path, part)
}

// findFiles returns a page of the files whose paths have a part. It has 1,999 files at most.
func (v *visit) findFiles(part, after string) (found workspace.FileList, err error) {
	for range maxReads {
		page, err := v.ws.ListFiles(v.r.Context(), workspace.ListOptions{After: after, Limit: maxFiles, Authors: true})
		if err != nil || part == "" {
			return page, err
		}
		for _, f := range page.Files {
			if has(f.Path, part) {
				found.Files = append(found.Files, f)
			}
		}
		found.Next, after = page.Next, page.Next
		if page.Next == "" || len(found.Files) >= maxFiles {
			break
		}
	}
	return found, nil
}

// deletedFile returns a deleted file that can be restored. It returns zero if there is none.
func (v *visit) deletedFile(path string) workspace.FileInfo {
	found, _ := v.deletedFiles(path) // without it, the page offers nothing
	if len(found) == 0 || found[0].Path != path {
		return workspace.FileInfo{}
	}
	return found[0]
}

// deletedFiles returns the deleted files below a prefix that can be restored, of which there are
// 1,000 at most.
func (v *visit) deletedFiles(prefix string) (found []workspace.FileInfo, err error) {
	for o := (workspace.ListOptions{Deleted: true, Prefix: prefix}); ; {
		page, err := v.ws.ListFiles(v.r.Context(), o)
		found = append(found, page.Files...)
		if o.After = page.Next; err != nil || !page.More {
			return found, err
		}
	}
}

// findLogs returns the first logs whose paths have a part. all is false if there may be more.
func (v *visit) findLogs(part string) (found []workspace.LogHead, all bool, err error) {
	o := workspace.ListOptions{Limit: maxLogs}
	for range maxReads {
		page, err := v.ws.ListLogs(v.r.Context(), o)
		if err != nil {
			return nil, false, err
		}
		for _, l := range page.Logs {
			if has(l.Path, part) {
				found = append(found, l)
			}
		}
		if !page.More || len(found) >= maxLogs {
			return found, !page.More, nil
		}
		o.After = page.Next
	}
	return found, false, nil
}
