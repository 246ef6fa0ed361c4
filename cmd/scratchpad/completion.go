package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/complete"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

// Run prints the script.
func (c completionCommand) Run(p *process) error {
	script := complete.Script(c.Shell)
	return p.answer(map[string]string{"shell": c.Shell, "script": script}, func(out io.Writer) error {
		_, err := io.WriteString(out, script)
		return err
	})
}

// completeCommand is called by the scripts, with the words of the command line after
// the first one. The last word is the one to complete. The command prints a candidate
// a line, with a tab and its help if it has one. The line ":files" stands for local
// files, which the shell completes.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Run never fails, because the shell has no place for an error.
func (c completeCommand) Run(p *process, k *kong.Context) error {
	for _, line := range p.complete(k.Model.Node, c.Words) {
		fmt.Fprintln(p.out, line)
	}
	return nil
}

func (p *process) complete(commands *kong.Node, words []string) []string {
	return complete.Line(words, commands, p.storedNames)
}

const completeWait = 500 * time.Millisecond // for the database

// storedNames returns the names of a kind that begin with what was typed. If the
// database cannot be read quickly, there are no names.
func (p *process) storedNames(in complete.Memory, kind, typed string) (names []string) {
	for flag, to := range map[string]**string{"db": &p.line.DB, "agent": &p.line.Agent, "tenant": &p.line.Tenant} {
		if value, ok := in[flag]; ok {
			if path, err := native.Expand(value); flag == "db" && err == nil {
				value = path
			}
			*to = &value
		}
	}
	ctx, cancel := context.WithTimeout(p.ctx, completeWait)
	defer cancel()
	quiet := *p
	quiet.ctx, quiet.err = ctx, io.Discard
	err := within(ctx, func() error {
		return quiet.use(quiet.openToLook, func(db *database.Handle) error {
			agent := func() (string, error) { return quiet.memory(db) }
			names = complete.Names(ctx, db.Opened(), agent, kind, typed)
			return nil
		})
	})
	if err != nil {
		return nil
	}
	return names
}
