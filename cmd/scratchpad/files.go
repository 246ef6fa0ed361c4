package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// filesCommand has the commands on an agent's files.
type filesCommand struct {
	Ls        filesLs        `cmd:"" help:"List the files."`
	Cat       filesCat       `cmd:"" help:"Print a file."`
	Write     filesWrite     `cmd:"" help:"Write a file whole, as a new version."`
	Edit      filesEdit      `cmd:"" help:"Replace a text in a file, or open the file in an editor."`
	Diff      filesDiff      `cmd:"" help:"Show what changed between two versions."`
	Summarize filesSummarize `cmd:"" help:"Print what is in a long file, in short."`
	History   filesHistory   `cmd:"" help:"List the kept versions of a file."`
	Rm        filesRm        `cmd:"" help:"Delete files with all their versions."`
}

type filesLs struct {
	Prefix string `arg:"" optional:"" help:"What the paths begin with, such as notes/."`
}

// Help is shown by scratchpad files ls --help.
func (filesLs) Help() string {
	return `Examples:

  scratchpad files ls
  scratchpad files ls notes/ --json`
}

type fileRecord struct {
	Path    string    `json:"path"`
	Version int64     `json:"version"`
	Bytes   int64     `json:"bytes"`
	Updated time.Time `json:"updated"`
}

// Run lists all files below the prefix.
func (c filesLs) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		records := []fileRecord{}
		rows := [][]string{{"PATH", "VERSION", "BYTES", "UPDATED"}}
		for o := (workspace.ListOptions{Prefix: c.Prefix}); ; {
			page, err := ws.ListFiles(p.ctx, o)
			if err != nil {
				return err
			}
			for _, f := range page.Files {
				records = append(records, fileRecord{Path: f.Path, Version: f.Version, Bytes: f.Bytes, Updated: f.Updated.UTC()})
				rows = append(rows, []string{cell(f.Path), fmt.Sprint(f.Version), fmt.Sprint(f.Bytes), timeText(f.Updated)})
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		return p.list(records, rows, "no files%s of agent %s; scratchpad files write PATH makes one, and --agent names another agent", below(c.Prefix), ws.Agent())
	})
}

// list answers with a table, or says on standard error why there is none. The
// first row is the header.
func (p *process) list(records any, rows [][]string, empty string, args ...any) error {
	text := p.table(rows)
	if len(rows) == 1 {
		text = func(io.Writer) error {
			return p.note(empty+"\n", args...)
		}
	}
	return p.answer(records, text)
}

func below(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " below " + prefix
}

type filesCat struct {
	Path     string `arg:"" help:"The file."`
	Version  count  `placeholder:"N" help:"That version instead of the current one."`
	FromLine count  `placeholder:"N" help:"Begin at line N."`
	ToLine   count  `placeholder:"N" help:"End with line N."`
}

// Help is shown by scratchpad files cat --help.
func (filesCat) Help() string {
	return `To a file or a pipe the bytes are exact; on a terminal, control characters are shown as \u001b.

Examples:

  scratchpad files cat plan.md
  scratchpad files cat plan.md --version 1
  scratchpad files cat plan.md --from-line 2 --to-line 3`
}

type contentRecord struct {
	Path           string `json:"path"`
	CurrentVersion int64  `json:"current_version"`
	Version        int64  `json:"version"`
	Bytes          int64  `json:"bytes"`
	Lines          int    `json:"lines"`
	FromLine       int    `json:"from_line,omitempty"`
	ToLine         int    `json:"to_line,omitempty"`
	Content        string `json:"content"`
}

// Run prints the file.
func (c filesCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		r, err := ws.ReadFile(p.ctx, c.Path, workspace.ReadOptions{Version: int64(c.Version), FromLine: int(c.FromLine), ToLine: int(c.ToLine)})
		if err != nil {
			return err
		}
		record := contentRecord{
			Path: r.Path, CurrentVersion: r.Current, Version: r.Version, Bytes: r.Bytes, Lines: r.Lines,
			FromLine: r.FromLine, ToLine: r.ToLine, Content: string(r.Content),
		}
		return p.answer(record, func(out io.Writer) error {
			_, err := p.screen(out).Write(r.Content)
			return err
		})
	})
}

type filesHistory struct {
	Path string `arg:"" help:"The file."`
}

// Help is shown by scratchpad files history --help.
func (filesHistory) Help() string {
	return `The oldest version first. --max-versions of them are kept; scratchpad files diff compares two.

Examples:

  scratchpad files history plan.md`
}

type versionRecord struct {
	Version int64     `json:"version"`
	Bytes   int64     `json:"bytes"`
	Updated time.Time `json:"updated"`
	Author  *author   `json:"author,omitempty"`
}

// Run lists the versions.
func (c filesHistory) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		versions, err := ws.History(p.ctx, c.Path)
		if err != nil {
			return err
		}
		records := []versionRecord{}
		rows := [][]string{{"VERSION", "BYTES", "UPDATED", "AUTHOR"}}
		for _, v := range versions {
			by := authorOf(v.Author)
			records = append(records, versionRecord{Version: v.Version, Bytes: v.Bytes, Updated: v.Time.UTC(), Author: by})
			rows = append(rows, []string{fmt.Sprint(v.Version), fmt.Sprint(v.Bytes), timeText(v.Time), cell(by.String())})
		}
		return p.answer(records, p.table(rows))
	})
}

type filesRm struct {
	Paths []string `arg:"" name:"path" help:"The files."`
	Yes   bool     `short:"y" help:"Do not ask."`
}

// Help is shown by scratchpad files rm --help.
func (filesRm) Help() string {
	return `It asks first, and deletes nothing when one of the files is not there. A log of the same name stays.

Examples:

  scratchpad files rm draft.md --yes`
}

type fileDeleted struct {
	Path            string `json:"path"`
	Deleted         bool   `json:"deleted"`
	VersionsRemoved int64  `json:"versions_removed"`
}

// Run deletes the files.
func (c filesRm) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		has := make([]string, len(c.Paths))
		for i, path := range c.Paths {
			versions, err := ws.History(p.ctx, path)
			if err != nil {
				return asAct("delete", err)
			}
			has[i] = fmt.Sprintf("%s (%s)", path, plural(int64(len(versions)), "version"))
		}
		if err := p.confirm(c.Yes, c.Paths, "Delete %s of agent %s?", strings.Join(has, ", "), ws.Agent()); err != nil {
			return err
		}
		records := []fileDeleted{}
		for _, path := range c.Paths {
			r, err := ws.DeleteFile(p.ctx, path, workspace.DeleteOptions{})
			if err != nil {
				return errors.Join(err, p.answerRemoved(records))
			}
			records = append(records, fileDeleted{Path: r.Path, Deleted: r.Deleted, VersionsRemoved: r.Removed})
		}
		return p.answerRemoved(records)
	})
}

// answerRemoved also says what was done before an error.
func (p *process) answerRemoved(records []fileDeleted) error {
	return p.answer(records, func(out io.Writer) error {
		for _, r := range records {
			fmt.Fprintf(out, "%s: %s\n", r.Path, deletedText(r.Deleted, plural(r.VersionsRemoved, "version")))
		}
		return nil
	})
}

// deletedText is for people. What another has deleted meanwhile, or what is named
// twice, is not there.
func deletedText(deleted bool, what string) string {
	if !deleted {
		return "was not there"
	}
	return "deleted, " + what
}
