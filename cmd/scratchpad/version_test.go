package main

import (
	"runtime/debug"
	"testing"
)

// The version is that of the build information, and nothing is invented.
func TestVersion(t *testing.T) {
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit, date := debug.BuildSetting{Key: "vcs.revision", Value: "1f0c"}, debug.BuildSetting{Key: "vcs.time", Value: "2026-11-28T10:00:00Z"}
	modified, clean := debug.BuildSetting{Key: "vcs.modified", Value: "true"}, debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	installed := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3", Sum: "h1:aB3="}}
	for want, info := range map[string]*debug.BuildInfo{
		"devel":                               nil,
		"v1.2.3":                              built("v1.2.3"),
		"v1.2.3 (1f0c, 2026-11-28T10:00:00Z)": built("v1.2.3", commit, date, clean),
		"v1.2.3+dirty (1f0c, 2026-11-28T10:00:00Z)": built("v1.2.3+dirty", commit, date, modified),
		"v1.2.3 (h1:aB3=)":                          installed,
		"devel (1f0c)":                              built("(devel)", commit),
	} {
		if got := buildOf(info, info != nil).String(); got != want {
			t.Errorf("the version of %v is %q, want %q", info, got, want)
		}
	}
	o := runCommand(t, t.TempDir(), nil, "version", "--json")
	if o.must(t, 0); o.out != "{\"version\":\"devel\"}\n" {
		t.Errorf("version --json of a test = %s", o.out)
	}
}
