package main

import (
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// use runs fn on the database that open opens, and closes it.
func (p *process) use(open func() (*database, error), fn func(*database) error) (err error) {
	db, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// with runs fn on the workspace of the agent that the command is about.
func (p *process) with(open func() (*database, error), fn func(*workspace.Workspace) error) error {
	return p.use(open, func(db *database) error {
		ws, err := db.workspace()
		if err != nil {
			return err
		}
		return p.sayAgent(byFlags(fn(ws)))
	})
}

// sayAgent tells who finds no file or log that it is the default agent's memory
// which was searched.
func (p *process) sayAgent(err error) error {
	var version versionError
	if p.line.Agent != nil || !errors.Is(err, workspace.ErrNotFound) || errors.As(err, &version) {
		return err
	}
	return hinted{err, "agent " + defaultAgent + "; --agent names another"}
}

// versionError is about the versions of a file that is there.
type versionError struct{ error }

func (e versionError) Unwrap() error { return e.error }

func ofVersion(err error) error {
	if err == nil {
		return nil
	}
	return versionError{err}
}

// flagNames are what the command line calls the arguments of the tools, by which
// the workspace speaks of them.
var flagNames = strings.NewReplacer(
	"if_version is ", "--if-version is ",
	"read it with since_version ", "see what changed with scratchpad files diff PATH ",
	" to see what changed:", ":",
	"; list_files shows those that exist:", "; scratchpad files ls shows those that exist:",
	"there is no such file, but a log of this name; use read_log:", "there is no such file; a log has this name: scratchpad logs cat prints it:",
	"through_entry is ", "--through is ",
	"from_line is ", "--from-line is ",
	"from_line ", "--from-line ",
	"to_line ", "--to-line ",
	"old_text is ", "the text to replace is ",
	"old_text and new_text are equal", "the text to replace and the one that replaces it are equal",
	"old_text does not occur", "the text to replace does not occur",
	"old_text occurs ", "the text to replace occurs ",
	"or set all:", "or give --all:",
	"; use read_file:", "; print it with scratchpad files cat:",
)

// byFlags speaks of flags where an error speaks of arguments.
func byFlags(err error) error {
	if err == nil {
		return nil
	}
	if text := flagNames.Replace(err.Error()); text != err.Error() {
		return reworded{err, text}
	}
	return err
}

type reworded struct {
	error
	text string
}

func (e reworded) Error() string { return e.text }

func (e reworded) Unwrap() error { return e.error }

// forAct names the act of the command where an error names a look before it.
func forAct(err error, look, act string) error {
	if err == nil {
		return nil
	}
	if rest, ok := strings.CutPrefix(err.Error(), look+" "); ok {
		return reworded{err, act + " " + rest}
	}
	return err
}

// peek reads what an agent has past the service, which would count each look as
// an operation of the agent.
func (d *database) peek(agent string, fn func(workspace.Reader) error) error {
	return d.store.View(d.p.ctx, workspace.Owner{Tenant: "local", Agent: agent}, fn)
}
