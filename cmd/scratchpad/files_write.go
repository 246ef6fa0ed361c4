package main

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesWrite struct {
	Path      string        `arg:""`
	Source    string        `arg:"" optional:"" default:"-" type:"homepath" help:"A local file, or - for standard input."`
	IfVersion *flags.Number `placeholder:"N" help:"Write only if the file is at version N. 0: only if there is no file."`
}

type writeRecord struct {
	Path         string `json:"path"`
	Version      int64  `json:"version"`
	BytesWritten int64  `json:"bytes_written"`
	Restored     int64  `json:"restored_version,omitempty"`
	Replacements int64  `json:"replacements,omitempty"`
	LineEnds     string `json:"line_ends,omitempty"`
	Near         string `json:"near,omitempty"`
	*workspace.Secrets
}

// Run writes the file.
func (c filesWrite) Run(p *process) error {
	if _, err := p.line.Paths.Parse(c.Path); err != nil {
		return err
	}
	limit := p.line.Limits.FileBytes
	content, err := p.readSource(c.Source, limit)
	if errors.Is(err, workspace.ErrInvalid) {
		return failure.Followed(err, "the source is a local file; a text goes to standard input, such as: echo TEXT | "+
			"scratchpad files write "+native.Quote(c.Path))
	}
	if err != nil {
		return err
	}
	if int64(len(content)) > limit {
		return workspace.Errorf(workspace.ErrTooLarge,
			"write %s: the source has more than %d bytes, the limit of a file (--max-file-bytes)", c.Path, limit)
	}
	return p.withKept(p.openDatabase, c.Path, func(ws *workspace.Workspace) error {
		r, err := ws.WriteFile(p.ctx, c.Path, content, workspace.WriteOptions{IfVersion: (*int64)(c.IfVersion)})
		if err != nil {
			return err
		}
		return p.answerWritten(writeRecord{Path: r.Path, Version: r.Version, BytesWritten: r.Bytes, Secrets: r.Secrets})
	})
}

// withKept is with for a write to a file. A server with a higher --max-versions may
// have kept more versions than this command's limit. Unless the flag was given, the
// write keeps as many.
func (p *process) withKept(open opener, name string, fn func(*workspace.Workspace) error) error {
	if _, err := workspace.UnicodePaths.Parse(name); err != nil { // all that may be stored
		return err
	}
	p.keepVersions = !p.given("max-versions")
	return p.with(open, fn)
}

func (p *process) answerWritten(r writeRecord) error {
	replaced := ""
	if r.Replacements > 0 {
		replaced = ", " + phrase.Plural(r.Replacements, "replacement")
	}
	if r.Restored > 0 {
		replaced += fmt.Sprintf(", restored from version %d", r.Restored)
	}
	if r.LineEnds != "" {
		replaced += `, with \r\n for \n`
	}
	if r.Near != "" {
		replaced += "; it is a new file, and there is " + r.Near
	}
	replaced += secretsNote(r.Secrets)
	return p.say(r, "%s: version %d, %s%s", r.Path, r.Version, phrase.Plural(r.BytesWritten, "byte"), replaced)
}
