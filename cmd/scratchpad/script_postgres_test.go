package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// TestScriptPostgres runs the scripts again, each with a PostgreSQL database of its own in
// place of the default file. A script of help has no database.
func TestScriptPostgres(t *testing.T) {
	testkit.SkipUnlessLong(t)
	pgtest.URL(t) // skips all of it where there is no PostgreSQL
	dir, err := filepath.Abs("testdata/script")
	testkit.Must(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return filepath.Base(name) == "help.txtar" })
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", raceOptions)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("SCRATCHPAD_DB", pgtest.URL(t))
			return nil
		},
		Condition: onPostgres(true),
		Cmds:      scriptCommands,
	})
}
