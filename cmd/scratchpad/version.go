package main

import "runtime/debug"

type versionCommand struct{}

type buildRecord struct {
	Version string `json:"version"`
}

// Run prints the version.
func (versionCommand) Run(p *process) error {
	return p.say(buildRecord{Version: version()}, "%s", version())
}

// version returns the version of the module that the Go tool built in.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
