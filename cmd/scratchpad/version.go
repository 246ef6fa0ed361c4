package main

import (
	"cmp"
	"runtime/debug"
	"strings"
)

type versionCommand struct{}

// A buildRecord says which program this is, as far as the Go tool has built that in.
type buildRecord struct {
	Version string `json:"version"` // of the module; "devel" if it has none
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the commit
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
		}
	}
	return r
}

// String returns the record in one line, such as "v1.2.3 (1f0c..., 2026-11-28T10:00:00Z)".
func (r buildRecord) String() string {
	if r.Commit == "" {
		return r.Version
	}
	return r.Version + " (" + strings.TrimSuffix(r.Commit+", "+r.Date, ", ") + ")"
}

// build returns version, commit and date in one line.
func build() string { return buildOf(debug.ReadBuildInfo()).String() }

// version returns the version of the module that the Go tool built in, or "devel".
func version() string { return buildOf(debug.ReadBuildInfo()).Version }
