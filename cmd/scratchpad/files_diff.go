package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/unified"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

type filesDiff struct {
	Path    string       `arg:""`
	From    flags.Count  `arg:"" optional:"" help:"A version that is kept. Default: the one before the current one."`
	To      flags.Count  `arg:"" optional:"" help:"Another version. Default: the current one."`
	Context flags.Number `default:"3" placeholder:"N" help:"Unchanged lines to show around a change. Default: ${default}."`
}

type diffRecord struct {
	Path           string          `json:"path"`
	CurrentVersion int64           `json:"current_version"`
	FromVersion    int64           `json:"from_version"`
	ToVersion      int64           `json:"to_version"`
	Diff           json.RawMessage `json:"diff"`
}

// Run compares the versions.
func (c filesDiff) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		versions, err := ws.History(p.ctx, c.Path)
		if err != nil {
			return failure.AsAct("diff", err)
		}
		return c.compare(p, ws, versions)
	})
}

func (c filesDiff) compare(p *process, ws *workspace.Workspace, versions []workspace.VersionInfo) error {
	current := versions[len(versions)-1].Version
	from, to := int64(c.From), int64(c.To)
	if from == 0 && len(versions) == 1 {
		e := workspace.Errorf(workspace.ErrNotFound, "version %d is the only one that is kept", current)
		e.Way.Do = store.DoUseVersion
		return failure.On("diff", c.Path, e)
	}
	if from == 0 {
		from = current - 1
	}
	if to == 0 {
		to = current
	}
	old, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{Version: from})
	if err != nil {
		return err
	}
	new, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{Version: to})
	if err != nil {
		return err
	}
	return c.answer(p, old, new)
}

func (c filesDiff) answer(p *process, old, new workspace.ReadResult) error {
	context := int(min(c.Context, 1<<30)) // more than any file has lines
	d := linediff.Compare(old.Content, new.Content)
	record := diffRecord{Path: new.Path, CurrentVersion: new.Current, FromVersion: old.Version, ToVersion: new.Version}
	if p.line.JSON {
		record.Diff = linediff.AppendJSON(nil, d.Chunks(context))
	}
	return p.answer(record, func(out io.Writer) error {
		if string(old.Content) == string(new.Content) {
			return p.note("versions %d and %d of %s are the same\n", old.Version, new.Version, new.Path)
		}
		text := unified.Text(d, old.Content, new.Content, unified.Options{
			Old: fmt.Sprintf("%s\tversion %d", new.Path, old.Version), New: fmt.Sprintf("%s\tversion %d", new.Path,
				new.Version),
			Context: context,
		})
		p.style().Diff(out, string(text))
		return nil
	})
}
