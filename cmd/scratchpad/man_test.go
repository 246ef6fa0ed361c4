package main

import (
	"strings"
	"testing"
)

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
