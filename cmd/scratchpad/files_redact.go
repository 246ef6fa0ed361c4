package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRedact struct {
	Path    string      `arg:"" help:"The file."`
	Version flags.Count `arg:"" help:"A version that is kept, but not the current one."`
	Yes     bool        `short:"y" help:"Do not ask first."`
}

type redactedRecord struct {
	Time   time.Time      `json:"time"`
	Author *report.Author `json:"author,omitempty"`
}

func redactedOf(r *workspace.Redaction) *redactedRecord {
	if r == nil {
		return nil
	}
	return &redactedRecord{r.Time.UTC(), report.AuthorOf(r.Author)}
}

// String says when a text was removed, and by whom if that is known.
func (r *redactedRecord) String() string {
	if r == nil {
		return ""
	}
	text := phrase.Time(r.Time)
	if by := r.Author.String(); by != "" {
		text += " by " + by
	}
	return text
}

type redactRecord struct {
	Path     string          `json:"path"`
	Version  int64           `json:"version"`
	Redacted *redactedRecord `json:"redacted"`
}

// Run redacts the version. One that is redacted already stays as it is.
func (c filesRedact) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		versions, err := ws.History(p.ctx, c.Path)
		if err != nil {
			return failure.AsAct("redact", err)
		}
		has := func(v workspace.VersionInfo) bool { return v.Version == int64(c.Version) && v.Redacted == nil }
		if slices.ContainsFunc(versions[:len(versions)-1], has) {
			named := []string{c.Path, fmt.Sprint(c.Version)}
			const question = "Remove the text of version %d of %s of agent %s for good?"
			if err := p.confirm(c.Yes, named, question, c.Version, c.Path, ws.Agent()); err != nil {
				return err
			}
		}
		v, err := ws.RedactVersion(p.ctx, c.Path, int64(c.Version), workspace.RedactOptions{})
		if err != nil {
			return err
		}
		record := redactRecord{Path: c.Path, Version: v.Version, Redacted: redactedOf(v.Redacted)}
		return p.say(record, "%s: version %d, redacted %s", c.Path, v.Version, record.Redacted)
	})
}
