package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The beginnings of licences, as their files wrap them.
const (
	mit  = "MIT License\n\nPermission is hereby granted, free of charge, to any person\n  obtaining a copy of this software"
	bsd2 = "* Redistributions of source code must retain the above\r\n  copyright notice"
	bsd3 = bsd2 + "\r\n* Neither the name of the author"
)

func TestLicences(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{mit, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd3, "BSD-3-Clause"},
		{"Apache License\n  Version 2.0, January 2004", "Apache-2.0"},
		{"SQLite has been dedicated to the public\ndomain by the authors", "public domain"},
		{bsd3 + "\n" + mit, "BSD-3-Clause MIT"},
		{"Do as you please.", "error: unknown licence"},
		{"", "error: unknown licence"},
		{mit + "\nGNU General Public\nLicense", "error: a release may not contain what is under the gnu general public license"},
		{"Mozilla Public License, version 2.0", "error: a release may not contain what is under the mozilla public license"},
	} {
		found, err := licences(c.content)
		got := strings.Join(found, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("licences(%q) = %q, want %q", c.content, got, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		err   string
	}{
		{"OfTheModule", map[string]string{"LICENSE": mit, "license.go": "package m", "README": ""}, []string{"LICENSE MIT"}, ""},
		{"OfALinkedPackage", map[string]string{"COPYING": mit, "a/LICENSE.txt": bsd2, "a/b/LICENCE": bsd3, "other/LICENSE": "?"},
			[]string{"COPYING MIT", "a/LICENSE.txt BSD-2-Clause", "a/b/LICENCE BSD-3-Clause"}, ""},
		{"Notice", map[string]string{"LICENSE": mit, "NOTICE": "By us."}, []string{"LICENSE MIT", "NOTICE notice"}, ""},
		{"Beside", map[string]string{"LICENSE": mit, "LICENSE-LOGO": "a picture's"}, []string{"LICENSE MIT"}, ""},
		{"None", map[string]string{"NOTICE": "By us."}, nil, "modernc.org/memory v1.0.0: no licence file"},
		{"Unknown", map[string]string{"LICENSE": mit, "LICENSE-2": "Ask us."}, nil, "modernc.org/memory v1.0.0: LICENSE-2: unknown licence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := module{Name: "modernc.org/memory v1.0.0", Path: "modernc.org/memory", Dir: t.TempDir()}
			m.Dirs = map[string]bool{m.Dir: true, filepath.Join(m.Dir, "a", "b"): true}
			for name, content := range c.files {
				writeFile(t, filepath.Join(m.Dir, filepath.FromSlash(name)), content)
			}
			testkit.Must(t, os.MkdirAll(filepath.Join(m.Dir, "a", "b"), 0o700))
			texts, err := m.texts()
			var got []string
			for _, x := range texts {
				got = append(got, x.file+" "+strings.Join(x.licences, " "))
			}
			if !slices.Equal(got, c.want) || (c.err == "") != (err == nil) || err != nil && err.Error() != c.err {
				t.Errorf("texts() = %q, %v, want %q, %q", got, err, c.want, c.err)
			}
		})
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}

// Each text is written once, under all that it belongs to.
func TestWrite(t *testing.T) {
	var out strings.Builder
	err := write(&out, []text{
		{"a v1", "LICENSE", []string{"MIT"}, mit},
		{"b v1", "LICENSE", []string{"BSD-2-Clause"}, bsd2},
		{"c v1", "COPYING", []string{"MIT"}, mit},
	})
	_, list, found := strings.Cut(out.String(), "licences follow the list.\n\n")
	rule := "\n" + strings.Repeat("=", 80) + "\n"
	want := "a v1: MIT (LICENSE)\nb v1: BSD-2-Clause (LICENSE)\nc v1: MIT (COPYING)\n" +
		rule + "a v1, LICENSE\nc v1, COPYING\n\n" + mit + "\n" + rule + "b v1, LICENSE\n\n" + bsd2 + "\n"
	if err != nil || !found || list != want {
		t.Errorf("write() wrote %q, %v, want %q", list, err, want)
	}
}
