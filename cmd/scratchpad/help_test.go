package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/keyrecord"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// notRun are the examples that this test cannot run.
var notRun = map[string]string{
	"scratchpad files edit plan.md":     "opens an editor; TestEditor has it",
	"scratchpad logs tail decisions -f": "ends at a signal; follow.txtar has it",
	"scratchpad changes --follow":       "ends at a signal; changes.txtar has it",

	"scratchpad serve --addr 0.0.0.0:4321 --tls-cert cert.pem --tls-key key.pem": "ends at a signal; TestServe has it",

	"scratchpad console":                                      "ends at a signal; TestConsole has it",
	"scratchpad console --agent planner":                      "ends at a signal; TestConsole has it",
	"scratchpad console --db ./agent.db --no-open --idle 30m": "ends at a signal; TestConsole has it",

	"scratchpad verify --db postgres://user@host/restored": "there is no such server",

	"scratchpad migrate --to postgres://user@host/name":                "needs PostgreSQL; TestMigrateToPostgreSQL has it",
	"scratchpad migrate --from postgres://user@host/name --to back.db": "needs PostgreSQL; TestMigrateToPostgreSQL has it",

	"scratchpad healthcheck":                       "needs a server; TestHealthcheck has it",
	"scratchpad healthcheck --addr 127.0.0.1:8080": "needs a server; TestHealthcheck has it",
}

// Each example in the help of a command runs as written, in a folder with the files
// and the database that it needs.
func TestHelpExamples(t *testing.T) {
	testkit.SkipUnlessLong(t)
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a Unix shell")
	}
	seen := map[string]bool{}
	for _, command := range commands(t) {
		examples := examplesOf(command.Detail)
		if len(examples) == 0 && len(command.Children) == 0 && command.Name != "mcp" {
			t.Errorf("the help of %s has no example", command.FullPath())
		}
		if len(examples) == 0 {
			continue
		}
		t.Run(strings.ReplaceAll(command.FullPath(), " ", "_"), func(t *testing.T) {
			dir, key := exampleFolder(t)
			for _, line := range examples {
				if seen[line] = true; notRun[line] != "" {
					continue
				}
				sh := exec.Command("sh", "-c", strings.ReplaceAll(line, exampleKey, key))
				sh.Dir = dir
				sh.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"))
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
		})
	}
	for line := range notRun {
		if !seen[line] {
			t.Errorf("%q is not to be run, and no help has it", line)
		}
	}
}

// commands are all of the command line.
func commands(t *testing.T) []*kong.Node {
	t.Helper()
	parser := newParser(&commandLine{})
	var all []*kong.Node
	err := kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode {
			all = append(all, n)
		}
		return next(nil)
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("visiting the commands: %v, %d of them", err, len(all))
	}
	return all
}

// examplesOf are the indented lines of a help that call scratchpad.
func examplesOf(help string) []string {
	var lines []string
	for line := range strings.Lines(help) {
		if example, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "  scratchpad "); ok {
			lines = append(lines, "scratchpad "+example)
		}
	}
	return lines
}

// exampleKey stands in examples for the id of a key.
const exampleKey = "7kQ2mVx0"

// exampleFolder returns a folder with the files and the database that examples need, and
// the id of a key in it.
func exampleFolder(t *testing.T) (dir, key string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{
		"plan.md": "Monday\nTuesday\n", "todo.md": "- [ ] test\n", "notes.txt": "a note\n", "clean.md": "Monday\n", "app.log": "one\ntwo\n",
	} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	err := withService(filepath.Join(dir, "data"), func(ctx context.Context, svc *workspace.Service) error {
		for _, agent := range []string{defaultAgent, "reviewer"} {
			ws, err := svc.Agent(agent)
			if err != nil {
				return err
			}
			for _, f := range [][2]string{
				{"plan.md", "Monday\n"}, {"plan.md", "Monday\nTuesday\n"}, {"plan.md", "Monday\nTuesday\nTuesday too\n"},
				{"todo.md", "- [ ] test\n"}, {"draft.md", "draft"}, {"report.md", strings.Repeat("# A part\n\nIt is long.\n\n", 500)},
			} {
				if _, err := ws.WriteFile(ctx, f[0], []byte(f[1]), workspace.WriteOptions{}); err != nil {
					return err
				}
			}
			for _, log := range []string{"decisions", "decisions", "runs/1"} {
				if _, err := ws.AppendLog(ctx, log, []byte("an entry")); err != nil {
					return err
				}
			}
		}
		return nil
	})
	testkit.Must(t, err)
	return dir, exampleKeyIn(t, dir)
}

func exampleKeyIn(t *testing.T, dir string) string {
	t.Helper()
	o := runCommand(t, dir, []string{"HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data")}, "keys", "create", "--agents", "planner", "--json")
	o.must(t, 0)
	var r keyrecord.Record
	testkit.Must(t, json.Unmarshal([]byte(o.out), &r))
	return r.ID
}
