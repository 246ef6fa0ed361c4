package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
)

// manCommand prints the manual page, for those who make packages.
type manCommand struct{}

// Run prints the page with the help of all commands, in the macros of man(7).
func (manCommand) Run(p *process, k *kong.Context) error {
	r := buildOf(debug.ReadBuildInfo())
	day, _, _ := strings.Cut(r.Date, "T")
	var page manual
	page.line(`.TH SCRATCHPAD 1 "%s" "scratchpad %s"`, day, roff(r.Version))
	page.line(".SH NAME\nscratchpad \\- memory for AI agents")
	page.line(".SH SYNOPSIS\n.B scratchpad\n<command> [flags]")
	page.line(".SH DESCRIPTION")
	page.text(k.Model.Help)
	page.line(".SH COMMANDS")
	page.commands(k.Model.Node)
	page.line(".SH FLAGS OF ALL COMMANDS")
	page.text(flagsHelp)
	for _, group := range flagGroups {
		page.line(".SS %s", roff(strings.TrimSuffix(group.Title, ":")))
		page.text(group.Description)
		page.flags(k.Model.Flags, group.Key)
	}
	// The page is for every system and every user.
	anybody := strings.NewReplacer(roff(orNone(database.Default())), "scratchpad.db in the folder of your data")
	_, err := anybody.WriteString(p.out, page.String())
	return err
}

// A manual is a page that grows.
type manual struct {
	strings.Builder
	begun bool // there is text since the last heading
}

// line adds a line of macros.
func (m *manual) line(format string, args ...any) {
	fmt.Fprintf(m, format+"\n", args...)
	m.begun = !strings.HasPrefix(format, ".S")
}

// commands adds the commands below a node. A group of commands has its own line before them.
func (m *manual) commands(n *kong.Node) {
	for _, c := range n.Children {
		if c.Hidden {
			continue
		}
		m.line(".SS %s", roff(c.Summary()))
		m.text(c.Help)
		m.text(c.Detail)
		for _, p := range c.Positional {
			if p.Help != "" {
				m.line(".TP\n.I %s", roff(p.Summary()))
				m.prose(kong.DefaultHelpValueFormatter(p))
			}
		}
		m.flags(c.Flags, "")
		m.commands(c)
	}
}

// flags adds the flags of a group.
func (m *manual) flags(flags []*kong.Flag, group string) {
	for _, f := range flags {
		if (f.Group == nil) != (group == "") || f.Group != nil && f.Group.Key != group {
			continue
		}
		m.line(".TP\n.B %s", roff(f.String()))
		m.prose(kong.DefaultHelpValueFormatter(f.Value))
	}
}

// text adds paragraphs. Lines that begin with two spaces stay as they are.
func (m *manual) text(s string) {
	for paragraph := range strings.SplitSeq(strings.Trim(s, "\n"), "\n\n") {
		if paragraph == "" {
			continue
		}
		if m.begun {
			m.line(".PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			m.line(".RS 4\n.nf")
			m.prose(paragraph)
			m.line(".fi\n.RE")
			continue
		}
		m.prose(paragraph)
	}
}

// prose adds lines of text. None is taken for a macro.
func (m *manual) prose(s string) {
	for line := range strings.SplitSeq(s, "\n") {
		m.line("%s", `\&`+roff(strings.TrimPrefix(line, "  ")))
	}
}

// roff returns a text as roff writes its characters.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace
