package outline_test

import (
	"strings"
	"testing"
)

// Sections of a manual page are its headings.
func TestOutlineManual(t *testing.T) {
	page := ".TH \"X\" \"1\"\n.SH \"NAME\"\n\\fBx\\fR \\- Do a thing\n.SS \"Usage\"\n.P\n.nf\nx y\n.fi\n.SS \"How \\fBx\\fR uses \\fBy.json\\fR\"\n.P\nWhen you\n\\fIrun\\fR it, it runs. It stops.\n.SH\nSEE ALSO\n.BR y (1)\n"
	want := []string{"Manual page, 15 lines", "2-12 NAME — x - Do a thing", "4-8   Usage", "9-12   How x uses y.json — When you run it, it runs.", "13-15 SEE ALSO"}
	checkOutlineCases(t, []outlineCase{
		{"x.1", page, want, []string{".P", "\\f"}},
		{"x", page, want, nil},
		{"x", ".\\\" Copyright A\n.\\\"\n" + strings.Repeat(".\\\" More.\n", 80) + page, []string{"Manual page", "84-94 NAME"}, nil},
		{"x.8", ".Dd May 1, 2026\n.Dt X 8\n.Os\n.Sh NAME\n.Nm x\n.Nd do a thing\n.Sh BUGS\n.Ss Known\nNone.\n", []string{"Manual page", "4-6 NAME", "7-9 BUGS", "8-9   Known — None."}, nil},
		{"notes.1", "Rotated text.\n\nNothing else.\n", []string{"Text"}, []string{"Manual"}},
		{"app.log.1", "2026-01-01 10:00:00 INFO a\n2026-01-01 10:00:01 ERROR b\n", []string{"Log"}, nil},
	})
}
