package main

import (
	"cmp"
	"runtime/debug"
	"slices"
	"strings"
)

type versionCommand struct{}

// A buildRecord says which program this is, as far as the Go tool has built that in.
type buildRecord struct {
	Version string `json:"version"` // of the module; "devel" if it has none
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the commit

	// Modified says that files differed from the commit. Then Version ends in +dirty.
	Modified bool `json:"modified,omitempty"`

	// Sum is the checksum of the module, as in a go.sum, if the program was made by go
	// install. Then the Go tool knows no commit.
	Sum string `json:"sum,omitempty"`
}

// Run prints the version.
func (versionCommand) Run(p *process) error {
	return p.say(buildOf(debug.ReadBuildInfo()), "%s", build())
}

// buildOf returns what the build information says. ok is false if there is none.
func buildOf(info *debug.BuildInfo, ok bool) buildRecord {
	r := buildRecord{Version: "devel"}
	if !ok {
		return r
	}
	if v := info.Main.Version; v != "(devel)" {
		r.Version = cmp.Or(v, r.Version)
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Commit = s.Value
		case "vcs.time":
			r.Date = s.Value
		case "vcs.modified":
			r.Modified = s.Value == "true"
		}
	}
	if r.Commit == "" {
		r.Sum = info.Main.Sum
	}
	return r
}

// String returns the record in one line, such as "v1.2.3 (1f0c..., 2026-11-28T10:00:00Z)" or,
// from go install, "v1.2.3 (h1:aB3...)".
func (r buildRecord) String() string {
	parts := slices.DeleteFunc([]string{r.Commit, r.Date, r.Sum}, func(part string) bool { return part == "" })
	if len(parts) == 0 {
		return r.Version
	}
	return r.Version + " (" + strings.Join(parts, ", ") + ")"
}

// build returns version, commit and date, or else the checksum, in one line.
func build() string { return buildOf(debug.ReadBuildInfo()).String() }

// version returns the version of the module that the Go tool built in, or "devel".
func version() string { return buildOf(debug.ReadBuildInfo()).Version }
