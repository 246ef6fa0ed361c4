package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/demo"
)

type demoCommand struct{}

// Run plays the session. It does not touch the user's database.
func (demoCommand) Run(p *process) (err error) {
	dir, err := os.MkdirTemp("", "scratchpad-demo-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := demo.Options{Database: filepath.Join(dir, "demo.db"), Env: unconfigured(os.Environ()),
		Version: version(), Err: p.err, Paint: p.paint}
	if !p.line.JSON {
		o.Out = p.out
	}
	r, err := demo.Play(p.ctx, o)
	if err != nil {
		return err
	}
	return p.answer(r, func(out io.Writer) error {
		fmt.Fprintf(out, "\n%s, %d tokens were read. Reading everything again each time takes %d. (These are "+
			"estimates; "+
			"docs/benchmarks.md has exact numbers.)\n",
			p.paint("In all", color.Bold), r.Tokens, r.Whole)
		_, err := fmt.Fprintln(out, "Next: scratchpad setup adds it to your clients: Claude Code, Cursor, VS Code, "+
			"Codex "+
			"and others.")
		return err
	})
}

// unconfigured returns an environment without the variables of flags, so that the
// session is the same for everybody.
func unconfigured(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "SCRATCHPAD_") })
}
