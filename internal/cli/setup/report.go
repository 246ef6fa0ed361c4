package setup

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
)

// Print says for people what would be done.
func (p *Plan) Print(out io.Writer) error {
	var b strings.Builder
	if did := map[Action]string{Keep: "nothing to change", Install: "copied from the one that runs now",
		Replace: "replaced by the one that runs now"}[p.Program.Action]; !p.o.Share {
		fmt.Fprintf(&b, "Program: %s\n  %s\n", terminal.OneLine(p.Program.Path), did)
	}
	if !p.Program.OnPath && !p.o.Share {
		fmt.Fprintf(&b, "  its folder is not on your PATH. To run scratchpad by its name, add the folder:\n    %s\n",
			PathLine(filepath.Dir(p.Program.Path), os.Getenv("SHELL"), runtime.GOOS))
	}
	for _, planned := range p.Clients {
		if planned.Err != nil {
			fmt.Fprintf(&b, "%s: cannot be set up; the error is below\n", planned.Title)
			continue
		}
		for _, e := range planned.Edits {
			fmt.Fprintf(&b, "%s: %s\n", planned.Title, terminal.OneLine(e.File))
			for _, what := range e.Changed {
				fmt.Fprintf(&b, "  %s\n", terminal.OneLine(what))
			}
			if len(e.Changed) == 0 {
				fmt.Fprintf(&b, "  nothing to change\n")
			}
		}
		if len(planned.Edits) > 0 {
			fmt.Fprintf(&b, "  %s\n", terminal.OneLine(planned.Entry.Memory))
		}
		for _, note := range planned.Notes {
			fmt.Fprintf(&b, "%s: %s\n", planned.Title, strings.TrimRight(terminal.Visible(note), "\n"))
		}
	}
	if len(p.Clients) == 0 {
		fmt.Fprintf(&b, "No client was found. --client NAME sets one up anyway: %s.\n",
			strings.Join(clientconfig.Names(), ", "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// PrintDone says for people what was done, and what to try first.
func (p *Plan) PrintDone(out io.Writer) error {
	fmt.Fprintln(out)
	if !p.Changed {
		fmt.Fprintln(out, "Nothing was to be changed.")
	}
	program := "scratchpad"
	if !p.Program.OnPath {
		program = native.Quote(p.Program.Path)
	}
	var first *Client
	for _, c := range p.Clients {
		for _, e := range c.Edits {
			if e.old && len(e.Changed) > 0 {
				fmt.Fprintf(out, "%s: %s\n", terminal.OneLine(e.File), terminal.OneLine(e.Changed[0]))
			}
		}
		if len(c.Tools) > 0 {
			fmt.Fprintf(out, "%s: the server starts and has %s.\n", c.Title, phrase.Plural(int64(len(c.Tools)), "tool"))
			if first == nil || c.OfProject {
				first = c
			}
		}
	}
	if p.o.Share {
		return nil
	}
	if first == nil {
		_, err := fmt.Fprintf(out, "Try this first: %s demo\n", program)
		return err
	}
	where, agent := " in "+cmp.Or(terminal.OneLine(p.o.Project), "a project"), ""
	if first.Agent != "" {
		where, agent = "", " --agent "+first.Agent
	}
	_, err := fmt.Fprintf(out, `
Try this first. Restart %s%s, and say:
  Write a short note about what we work on to START.md, with the scratchpad tools.
Then read the note yourself%s:
  %s files cat START.md%s
To take everything back:
  %s setup --undo
`, first.Title, where, strings.Replace(where, " in a project", " in the folder of that project", 1), program, agent, program)
	return err
}
