package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// known lists the licences that a release may contain. Each is recognised by a
// phrase of its text, in lower case and with single spaces.
var known = []struct{ licence, phrase string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"BSD", "redistributions of source code must retain the above copyright"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"public domain", "has been dedicated to the public domain by the authors"},
}

// refused are the names of licences that ask for more than a notice.
var refused = []string{"gnu general public license", "gnu lesser general public license",
	"gnu affero general public license", "mozilla public license"}

// beside are licence files about things that are not linked, with what each is about.
var beside = map[string]string{
	"modernc.org/memory/LICENSE-LOGO":         "a picture",
	"modernc.org/sqlite/LICENSE-3RD-PARTY.md": "its dependencies, which are listed themselves, and its tests",
	"modernc.org/sqlite/LICENSE-SQLITE_VEC":   "package vec",
}

// A text is a licence or notice file that must be distributed with the binary.
type text struct {
	module   string
	file     string // slash-separated, below the module
	licences []string
	content  string
}

// texts returns the licence and notice files of a module's root and of the folders
// that lead to its linked packages. A module without a licence is an error.
func (m module) texts() ([]text, error) {
	var texts []text
	licensed := false
	for _, folder := range m.folders() {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			below, err := filepath.Rel(m.Dir, filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			file := filepath.ToSlash(below)
			if _, skip := beside[path.Join(m.Path, file)]; skip || e.IsDir() || !isLegal(e.Name()) {
				continue
			}
			t, err := m.text(file)
			if err != nil {
				return nil, err
			}
			licensed = licensed || !isNotice(e.Name())
			texts = append(texts, t)
		}
	}
	if !licensed {
		return nil, fmt.Errorf("%s: no licence file", m.Name)
	}
	return texts, nil
}

func (m module) text(file string) (text, error) {
	b, err := os.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(file)))
	if err != nil {
		return text{}, err
	}
	t := text{module: m.Name, file: file, content: tidy(string(b))}
	if isNotice(path.Base(file)) {
		t.licences = []string{"notice"}
		return t, nil
	}
	if t.licences, err = licences(t.content); err != nil {
		return text{}, fmt.Errorf("%s: %s: %w", m.Name, file, err)
	}
	return t, nil
}

// isLegal reports whether a file is a licence or a notice, by its name.
func isLegal(name string) bool {
	name = strings.ToUpper(name)
	starts := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return filepath.Ext(name) != ".GO" && slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "COPYRIGHT",
		"UNLICENSE", "NOTICE"}, starts)
}

func isNotice(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "NOTICE") }

// tidy removes spaces and carriage returns from the ends of lines.
func tidy(content string) string {
	lines := strings.Split(strings.Trim(content, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// licences names the licences in a text. None, or one of the refused, is an error.
func licences(content string) ([]string, error) {
	words := strings.ToLower(strings.Join(strings.Fields(content), " "))
	for _, phrase := range refused {
		if strings.Contains(words, phrase) {
			return nil, fmt.Errorf("a release may not contain what is under the %s", phrase)
		}
	}
	var found []string
	for _, k := range known {
		if !strings.Contains(words, k.phrase) {
			continue
		}
		name := k.licence
		if name == "BSD" {
			name = "BSD-2-Clause"
			if strings.Contains(words, "neither the name") {
				name = "BSD-3-Clause"
			}
		}
		found = append(found, name)
	}
	if len(found) == 0 {
		return nil, errors.New("unknown licence")
	}
	return found, nil
}
