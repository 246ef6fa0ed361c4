package setup

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
)

// A Report is what was done, or would be.
type Report struct {
	Program Program        `json:"program"`
	Clients []ClientReport `json:"clients"`
	Changed bool           `json:"changed"` // or would be, with --dry-run
}

// A ClientReport is what was done for one client.
type ClientReport struct {
	Client string   `json:"client"`
	File   string   `json:"file"`
	Agent  string   `json:"agent_id,omitempty"`
	Edits  []*Edit  `json:"edits"`
	Tools  []string `json:"tools,omitempty"` // of the server that was started
	Notes  []string `json:"notes,omitempty"`
	Error  string   `json:"error,omitempty"`
}

// hasProgram reports whether the client gets the path of the program, from setup or by hand.
func (c *Client) hasProgram() bool { return c.Err == nil && (c.Client.ByHand || len(c.Edits) > 0) }

// Print says for people what would be done.
func (p *Plan) Print(out io.Writer) error {
	var b strings.Builder
	if did := map[Action]string{Keep: "nothing to change", Install: "copied from the one that runs now",
		Replace: "replaced by the one that runs now"}[p.Program.Action]; !p.o.Share {
		fmt.Fprintf(&b, "Program: %s\n  %s\n", terminal.OneLine(p.Program.Path), did)
	}
	if !p.Program.OnPath && !p.o.Share {
		full := ""
		if slices.ContainsFunc(p.Clients, (*Client).hasProgram) {
			full = "; clients use the full path"
		}
		fmt.Fprintf(&b, "  its folder is not on your PATH%s. To run scratchpad by its name, add the folder:\n    %s\n",
			full, PathLine(filepath.Dir(p.Program.Path), os.Getenv("SHELL"), runtime.GOOS))
	}
	for _, planned := range p.Clients {
		if planned.Err != nil {
			fmt.Fprintf(&b, "%s: cannot be set up; the error is below\n", planned.Client.Title)
			continue
		}
		for _, e := range planned.Edits {
			fmt.Fprintf(&b, "%s: %s\n", planned.Client.Title, terminal.OneLine(e.File))
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
			fmt.Fprintf(&b, "%s: %s\n", planned.Client.Title, strings.TrimRight(terminal.Visible(note), "\n"))
		}
	}
	if len(p.Clients) == 0 {
		fmt.Fprintf(&b, "No client was found. --client NAME sets one up anyway: %s.\n",
			strings.Join(clientconfig.Names(), ", "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// Report returns what was done. The tools are those of each server that was started, by
// the client's file. The text of an error is for people.
func (p *Plan) Report(tools map[string][]string, changed bool, text func(error) string) Report {
	r := Report{Program: p.Program, Clients: []ClientReport{}, Changed: changed}
	for _, planned := range p.Clients {
		cs := ClientReport{Client: planned.Client.Name, File: planned.File, Agent: planned.Entry.Agent,
			Edits: append([]*Edit{}, planned.Edits...), Tools: tools[planned.File], Notes: planned.Notes}
		if planned.Err != nil {
			cs.Error = terminal.OneLine(text(planned.Err))
		}
		r.Clients = append(r.Clients, cs)
	}
	return r
}

// Print says for people what was done, and what to try first.
func (r Report) Print(out io.Writer, plan *Plan) error {
	fmt.Fprintln(out)
	if !r.Changed {
		fmt.Fprintln(out, "Nothing was to be changed.")
	}
	program := "scratchpad"
	if !r.Program.OnPath {
		program = native.Quote(r.Program.Path)
	}
	var first *Client
	for i, cs := range r.Clients {
		for _, e := range cs.Edits {
			if e.old && len(e.Changed) > 0 {
				fmt.Fprintf(out, "%s: %s\n", terminal.OneLine(e.File), terminal.OneLine(e.Changed[0]))
			}
			if e.Backup != "" {
				fmt.Fprintf(out, "A copy of the file as it was: %s\n", terminal.OneLine(e.Backup))
			}
		}
		if len(cs.Tools) > 0 {
			fmt.Fprintf(out, "%s: the server starts and has %s.\n", plan.Clients[i].Client.Title,
				phrase.Plural(int64(len(cs.Tools)), "tool"))
			if first == nil {
				first = plan.Clients[i]
			}
		}
	}
	if plan.o.Share {
		return nil
	}
	if first == nil {
		_, err := fmt.Fprintf(out, "Try this first: %s demo\n", program)
		return err
	}
	where, agent := " in a project", ""
	if first.Entry.Agent != "" {
		where, agent = "", " --agent "+first.Entry.Agent
	}
	_, err := fmt.Fprintf(out, `
Try this first. Restart %s%s, and say:
  Write a short note about what we work on to START.md, with the scratchpad tools.
Then read the note yourself%s:
  %s files cat START.md%s
To take everything back:
  %s setup --undo
`, first.Client.Title, where, strings.Replace(where, "a project", "the folder of that project", 1), program, agent, program)
	return err
}
