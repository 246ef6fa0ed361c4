package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// helpPage returns what --help prints.
func helpPage(t *testing.T, command ...string) string {
	t.Helper()
	t.Setenv("COLUMNS", "80") // where kong takes the width from
	var out bytes.Buffer
	exited := false
	parser := newParser(&commandLine{}, kong.Writers(&out, io.Discard), kong.Exit(func(int) { exited = true }))
	parser.Parse(append(command, "--help"))
	if !exited || out.Len() == 0 {
		t.Fatalf("%s --help prints %q", strings.Join(command, " "), out.String())
	}
	return out.String()
}

// A model pays for each word of help, and a person has a screen of 40 lines.
func TestHelpTokens(t *testing.T) {
	all := 0
	for command, most := range map[string]int{"": 450, "files": 390, "logs": 230, "search": 270, "changes": 240} {
		page := helpPage(t, strings.Fields(command)...)
		n, lines := o200k.Count(page), strings.Count(page, "\n")
		if t.Logf("%s --help: %d tokens, %d lines", command, n, lines); n > most || lines > 40 {
			t.Errorf("%s --help has %d tokens and %d lines, want at most %d and 40:\n%s", command, n, lines, most, page)
		}
		if command == "" || command == "files" || command == "logs" {
			all += n
		}
	}
	if all > 1050 {
		t.Errorf("the overview and the two groups have %d tokens", all)
	}
}

// The overview names every command, and those of its groups.
func TestHelpOverview(t *testing.T) {
	words := strings.FieldsFunc(helpPage(t), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' })
	for _, command := range commands(t) {
		if !command.Hidden && command.Name != "help" && !slices.Contains(words, command.Name) {
			t.Errorf("the overview does not name %s", command.FullPath())
		}
	}
	// The lists of groups are in the order of their pages.
	flat := strings.Join(strings.Fields(helpPage(t)), " ")
	for _, group := range newParser(&commandLine{}).Model.Children {
		var names []string
		for _, c := range group.Children {
			names = append(names, c.Name)
		}
		if list := group.Name + " " + strings.Join(names, ", "); names != nil && !strings.Contains(flat, list) {
			t.Errorf("the overview does not have %q", list)
		}
	}
	for _, name := range []string{"search", "changes"} {
		_, line, _ := strings.Cut(helpPage(t), "\n  "+name+" ")
		line, _, _ = strings.Cut(line, "\n")
		page := helpPage(t, name)
		for _, word := range strings.Fields(line) {
			if flag, is := strings.CutPrefix(word, "[--"); is && !strings.Contains(page, "--"+strings.TrimRight(strings.Split(flag, "=")[0], "]")) {
				t.Errorf("%s has no flag %s", name, flag)
			}
		}
	}
}

// The page of a command explains each of its flags. The page of a group shows each command with its
// arguments and flags.
func TestHelpFlags(t *testing.T) {
	for _, command := range commands(t) {
		if command.Hidden || len(command.Children) > 0 {
			continue
		}
		path := strings.Fields(command.Path())
		page, group := helpPage(t, path...), ""
		if len(path) > 1 {
			group = strings.Join(strings.Fields(helpPage(t, path[0])), " ")
			if !strings.Contains(group, " "+usage(command)+" "+command.Help) {
				t.Errorf("%s --help does not have %q", path[0], usage(command))
			}
		}
		for _, f := range command.Flags {
			if f.Hidden || f.Name == "help" {
				continue
			}
			words := strings.Fields(f.Help)
			if len(words) == 0 || !strings.Contains(page, "--"+f.Name) || !strings.Contains(page, strings.Join(words[:2], " ")) {
				t.Errorf("the help of %s does not explain --%s", command.FullPath(), f.Name)
			}
			if group != "" && !strings.Contains(usage(command), "[--"+f.Name) {
				t.Errorf("%s --help does not have --%s of %s", path[0], f.Name, command.Name)
			}
		}
	}
}

// An error of the command line shows how the command is used, or which commands there are.
func TestUsageInErrors(t *testing.T) {
	for line, want := range map[string]string{
		"logs tail --tail 1 l": "unknown flag --tail\nUsage: scratchpad logs tail <log> [--entries=N] [--follow]\nTry: ",
		"files cat":            "expected \"<path>\"\nUsage: scratchpad files cat <path> [--version=N] ",
		"serve --bogus":        "unknown flag --bogus\nUsage: scratchpad serve [flags]\nTry: ",
		"logs show l":          "unexpected argument show; the commands are ls, cat, append, tail, redact, rm\nTry: ",
		"cat plan.md":          "unexpected argument cat; did you mean files cat, logs cat?\nTry: ",
	} {
		o := runCommand(t, t.TempDir(), nil, strings.Fields(line)...)
		o.must(t, 2, want)
	}
}

// The manual page has every command with every flag, and no folder of whoever made it.
func TestManual(t *testing.T) {
	o := runCommand(t, t.TempDir(), nil, "__man")
	o.must(t, 0, ".TH SCRATCHPAD 1 ", roff("scratchpad.db in the folder of your data"))
	if strings.Contains(o.out, "scratchpad/scratchpad.db") || strings.Contains(o.out, "__") {
		t.Error("the page names the folder of one user, or what is for scripts")
	}
	flags := newParser(&commandLine{}).Model.Flags
	for _, c := range commands(t) {
		if c.Hidden {
			continue
		}
		if !strings.Contains(o.out, "\n.SS "+roff(c.Summary())+"\n") {
			t.Errorf("the page has no section %q", c.Summary())
		}
		flags = append(flags, c.Flags...)
	}
	for _, f := range flags {
		if heading := "\n.TP\n.B " + roff(f.String()) + "\n\\&"; !strings.Contains(o.out, heading) {
			t.Errorf("the page does not have %s", f)
		}
	}
}

// No text becomes a macro, and lines that are indented stay lines.
func TestManualText(t *testing.T) {
	var page manual
	page.line(".SH A")
	page.text(".TH is text,\n'so is this\\n\n\n  scratchpad files ls\n  scratchpad logs ls\n")
	want := ".SH A\n\\&.TH is text,\n\\&\\(aqso is this\\en\n.PP\n.RS 4\n.nf\n\\&scratchpad files ls\n\\&scratchpad logs ls\n.fi\n.RE\n"
	if page.String() != want {
		t.Errorf("the page is %q, want %q", page.String(), want)
	}
}
