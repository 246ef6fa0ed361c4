package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/brief"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type briefCommand struct {
	Mark      string       `placeholder:"NAME"`
	Tokens    flags.Number `default:"300" placeholder:"N"`
	BriefText flags.Number `default:"1000" placeholder:"N"`
}

type briefRecord struct {
	Cursor  int64           `json:"cursor"`
	Since   *int64          `json:"since,omitempty"` // the cursor of the mark
	Files   int64           `json:"files"`
	Logs    int64           `json:"logs"`
	Entries int64           `json:"entries"`
	TooOld  bool            `json:"too_old,omitempty"`
	More    bool            `json:"has_more"`
	Paths   []report.Change `json:"paths"`
	Start   *startRecord    `json:"start,omitempty"`
}

type startRecord struct {
	Version int64  `json:"version"`
	Time    string `json:"time"`
	Text    string `json:"text"`
}

// Run prints the brief, and then moves the mark.
func (c briefCommand) Run(p *process) error {
	if c.Tokens < 1 {
		return invalid("--tokens is %d, allowed are 1 and more", c.Tokens)
	}
	if c.BriefText < 0 {
		return invalid("--brief-text is %d, allowed are 0 and more", c.BriefText)
	}
	b, err := c.read(p)
	if err != nil {
		return err
	}
	if err := p.answer(briefOf(b), func(out io.Writer) error {
		_, err := fmt.Fprintln(p.screen(out), b.Text(int(c.Tokens), max(briefCharacters, 5*int(c.Tokens))))
		return err
	}); err != nil {
		return err
	}
	if c.Mark == "" && b.Cursor == 0 && !p.line.JSON {
		name, _, err := p.agentName()
		if err != nil {
			return err
		}
		return p.note("agent %s has written nothing yet; scratchpad agents ls lists the agents for --agent\n",
			cmp.Or(p.projectName, name))
	}
	return p.moveMark(c.Mark, b.Cursor, c.setMark)
}

// moveMark moves the mark of a brief that was printed, if there is one; set does it. If the mark cannot be
// moved, moveMark says so: an error would make a hook lose what it has printed.
func (p *process) moveMark(mark string, cursor int64, set func(p *process, cursor int64) error) error {
	if mark == "" || cursor == 0 {
		return nil
	}
	if native.IsNull(p.out) { // so is an output that was closed before the start
		return p.note("the mark %s stays where it was, because nobody reads the output\n", mark)
	}
	err := set(p, cursor)
	if err != nil && !errors.Is(err, workspace.ErrInvalid) {
		return p.note("the mark %s stays where it was: %s\n", mark, terminal.OneLine(failure.Text(err)))
	}
	return err
}

// markTime is how long a brief waits for other processes to set its mark.
const markTime = 2 * time.Second

func (c briefCommand) setMark(p *process, cursor int64) error {
	ctx, cancel := context.WithTimeout(p.ctx, markTime)
	defer cancel()
	limited := *p
	limited.ctx = ctx
	return limited.with(limited.openExisting, func(ws *workspace.Workspace) error {
		return ws.SetMark(ctx, c.Mark, cursor)
	})
}

// briefCharacters is how many characters a brief has at most beside the text of START.md. Some
// clients cut what is longer.
const briefCharacters = 2000

func (c briefCommand) read(p *process) (b brief.Brief, err error) {
	err = p.use(p.openToLook, func(db *database.Handle) error {
		agent, err := p.memory(db)
		if err == nil {
			b, err = p.readBrief(p.ctx, db, agent, c.Mark, int(c.BriefText), p.projectName != "")
		}
		b.Offer = p.offer
		return err
	})
	if errors.Is(err, workspace.ErrNotFound) { // no database yet: a hook runs before the first write too
		return brief.Nothing, nil
	}
	return b, err
}

// readBrief reads what has changed since the mark of an agent, or what is there if there is no such mark. It
// reads START.md too, of a memory in a file, up to so many tokens. In a project it reads what the memory for
// everything has.
func (p *process) readBrief(
	ctx context.Context, db *database.Handle, agent, mark string, text int, inProject bool,
) (b brief.Brief, err error) {
	svc, err := db.Service(ctx)
	if err != nil {
		return b, err
	}
	ws, err := svc.Look(agent) // a read that is counted would make the agent
	if err != nil {
		return b, err
	}
	since, found := int64(0), false
	if mark != "" {
		if since, found, err = ws.Mark(ctx, mark); err != nil {
			return b, err
		}
	}
	if found {
		b, err = brief.Since(ctx, ws, since)
	} else {
		b, err = brief.Now(ctx, ws)
	}
	if err != nil || !p.isFile() {
		return b, err
	}
	if inProject {
		if ws, err := svc.Look(defaultAgent); err != nil {
			return b, err
		} else if b.Home, err = brief.ReadHome(ctx, ws); err != nil {
			return b, err
		}
	}
	if text == 0 {
		return b, nil
	}
	b.Start, err = brief.ReadStart(ctx, ws, text)
	if err != nil && ctx.Err() == nil { // one damaged file does not hide the rest
		err = p.note("%s is not shown: %s\n", brief.StartFile, terminal.OneLine(failure.Text(err)))
	}
	return b, err
}

func briefOf(b brief.Brief) briefRecord {
	r := briefRecord{Cursor: b.Cursor, Files: b.Files, Logs: b.Logs, Entries: b.Entries, TooOld: b.TooOld, More: b.More,
		Paths: []report.Change{}}
	if b.Since >= 0 {
		r.Since = &b.Since
	}
	if b.Start != nil {
		r.Start = &startRecord{b.Start.Version, phrase.Time(b.Start.Time), b.Start.Text}
	}
	for _, c := range b.Paths {
		r.Paths = append(r.Paths, report.ChangeOf(c))
	}
	return r
}
