package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type filesRedact struct {
	Path    string      `arg:""`
	Version flags.Count `arg:"" optional:"" help:"A version that is kept, but not the current one."`
	Text    string      `placeholder:"TEXT" help:"Remove this text from the file and its versions. -: the text of standard input."`
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

// Run redacts the version. One that is redacted already stays as it is. Without a version, Run
// removes the secrets.
func (c filesRedact) Run(p *process) error {
	switch {
	case c.Version != 0 && c.Text != "":
		return invalid("redact %s: give a version or --text", c.Path)
	case c.Text == "-":
		text, err := p.readSource("-", min(p.line.Limits.FileBytes, flags.MaxNumber))
		if err != nil {
			return err
		}
		if c.Text = string(dropLineEnd(text)); c.Text == "" {
			return invalid("redact %s: standard input has no text", c.Path)
		}
		fallthrough
	case c.Version == 0:
		return p.withKept(p.openExisting, c.Path, func(ws *workspace.Workspace) error { return c.secrets(p, ws) })
	}
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
		if errors.Is(err, workspace.ErrConflict) {
			return failure.Followed(err, "files redact "+native.Quote(c.Path)+
				" removes its secrets, and --text TEXT a text")
		}
		if err != nil {
			return err
		}
		record := redactRecord{Path: c.Path, Version: v.Version, Redacted: redactedOf(v.Redacted)}
		return p.say(record, "%s: version %d, redacted %s", c.Path, v.Version, record.Redacted)
	})
}

type redactFileRecord struct {
	Path     string  `json:"path"`
	Version  int64   `json:"version,omitempty"` // the new one
	Replaced int64   `json:"replaced"`
	Redacted []int64 `json:"redacted_versions"`
}

// secrets removes the secrets or the text from the file and its versions.
func (c filesRedact) secrets(p *process, ws *workspace.Workspace) error {
	what := "the secrets"
	if c.Text != "" {
		what = "the text"
	}
	question := "Remove " + what + " from %s of agent %s, and for good all text of its versions that have one?"
	if err := p.confirm(c.Yes, []string{c.Path}, question, c.Path, ws.Agent()); err != nil {
		return err
	}
	r, err := ws.RedactFile(p.ctx, c.Path, workspace.RedactFileOptions{Text: c.Text})
	if errors.Is(err, workspace.ErrConflict) && c.Text == "" {
		return failure.Followed(err, "--text TEXT removes a text, and files redact "+native.Quote(c.Path)+
			" N a version")
	}
	if err != nil {
		return err
	}
	record := redactFileRecord{r.Path, r.Version, r.Replaced, append([]int64{}, r.Versions...)}
	made := ""
	if r.Version > 0 {
		made = fmt.Sprintf("version %d, %s replaced, ", r.Version, phrase.Plural(r.Replaced, "text"))
	}
	return p.say(record, "%s: %s%s redacted", r.Path, made, phrase.Plural(int64(len(r.Versions)), "version"))
}
