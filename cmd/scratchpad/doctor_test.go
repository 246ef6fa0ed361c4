package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/doctor"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// sick are damaged databases, with the exit codes of doctor and verify and the words
// of doctor.
var sick = []struct {
	name           string
	make           func(t *testing.T, path string)
	doctor, verify int
	say            string
}{
	{"Foreign", func(t *testing.T, path string) { runDriver(t, "sqlite", path, "CREATE TABLE t (a)") }, 6, 6, "another program"},
	{"Newer", func(t *testing.T, path string) {
		makeDatabase(t, path)
		runDriver(t, "sqlite", path, "PRAGMA user_version = 99")
	}, 6, 6, "newer scratchpad"},
	{"TableMissing", func(t *testing.T, path string) {
		makeDatabase(t, path)
		runDriver(t, "sqlite", path, "DROP TABLE summaries")
	}, 6, 6, "backup"},
	{"Text", func(t *testing.T, path string) { writeFile(t, path, strings.Repeat("# notes\n", 1000)) }, 6, 6, "not an SQLite database"},
	{"Folder", func(t *testing.T, path string) {
		testkit.Must(t, os.Mkdir(path, 0o700))
	}, 6, 6, "it is a folder"},
	{"Link", func(t *testing.T, path string) {
		makeDatabase(t, path+".real")
		testkit.Must(t, os.Symlink(path+".real", path))
	}, 6, 6, "symbolic link"},
	{"LostLog", func(t *testing.T, path string) { writeFile(t, path+"-wal", "a log") }, 6, 6, "restore"},
	{"Empty", func(t *testing.T, path string) { writeFile(t, path, "") }, 0, 3, "no database"},
	{"Missing", func(t *testing.T, path string) {}, 0, 3, "no database"},
	{"Cut", func(t *testing.T, path string) {
		makeDatabase(t, path)
		testkit.Must(t, os.Truncate(path, 3*4096))
	}, 6, 6, "backup"},
	{"Counter", func(t *testing.T, path string) {
		makeDatabase(t, path)
		runDriver(t, "sqlite", path, "DELETE FROM entries")
	}, 0, 6, "verify"},
	{"Row", func(t *testing.T, path string) {
		makeDatabase(t, path)
		runDriver(t, "sqlite", path, "UPDATE owners SET files = 7")
	}, 6, 6, "alice"},
	{"Content", func(t *testing.T, path string) { makeDatabase(t, path); flipContent(t, path) }, 0, 6, "verify"},
	{"Crashed", copyOpen, 0, 0, "ok"},
}

// Doctor says what is wrong with a database and changes no byte.
func TestDoctorAndVerify(t *testing.T) {
	for _, c := range sick {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "test.db")
			c.make(t, path)
			check := unchanged(t, dir)
			runCommand(t, dir, nil, "doctor", "--db", path).must(t, c.doctor, c.say)
			runCommand(t, dir, nil, "verify", "--db", path).must(t, c.verify)
			check()
		})
	}
}

// reported returns the checks in doctor's JSON.
func reported(t *testing.T, o outcome) map[string]doctor.Check {
	t.Helper()
	var c doctor.Report
	if err := json.Unmarshal([]byte(o.out), &c); err != nil || strings.Count(o.out, "\n") != 1 {
		t.Fatalf("%v; want one line of JSON:\n%s%s", err, o.out, o.err)
	}
	byName := map[string]doctor.Check{}
	for _, k := range c.Checks {
		byName[k.Name] = k
	}
	return byName
}

func TestDoctorHealthy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my data.db")
	makeDatabase(t, path)
	o := runCommand(t, dir, nil, "doctor", "--db", "my data.db")
	o.must(t, 0, "2 agents, 6 files, 2 logs with 4 entries", "my data.db", "reserve 4.0 MiB", "schema 5", "survive a power cut", "SQLite 3.")
	o.must(t, 0, "2 agents (limit 10000), ", " with the charge for rows (limit 9.3 GiB)")
	runCommand(t, dir, []string{"SCRATCHPAD_MAX_AGENTS=2"}, "doctor", "--db", path, "--max-total-bytes", "0").must(t, 0, "warning  limits       2 agents (limit 2), ", "rows (no limit)", "agents rm")
	if strings.Contains(o.out, "\x1b[") {
		t.Errorf("colour without a terminal: %q", o.out)
	}
	runCommand(t, dir, nil, "doctor", "--db", path, "--color", "always").must(t, 0, "\x1b[32mok")
	got := reported(t, runCommand(t, dir, []string{"SCRATCHPAD_DB_PATH=" + path}, "doctor", "--json"))
	for name, want := range map[string]string{"path": "my data.db", "durability": "survive a power cut", "integrity": "structure"} {
		if k := got[name]; k.Status != doctor.OK || !strings.Contains(k.Text, want) {
			t.Errorf("%s: %+v, want ok and %q", name, k, want)
		}
	}
	runCommand(t, dir, []string{"XDG_DATA_HOME=" + dir, "LOCALAPPDATA=" + dir, "HOME=" + dir}, "doctor").must(t, 0, "scratchpad.db", "no database yet")
	runCommand(t, dir, nil, "doctor", "--db", "mem:").must(t, 2, "mem: is no file")
	runCommand(t, dir, nil, "doctor", "--db", "").must(t, 2, "--db is empty")
	runCommand(t, dir, nil, "doctor", "--db", "none/a.db").must(t, 6, "there is no folder")
}

func TestDoctorModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes mean nothing there
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "it's.db")
	makeDatabase(t, path)
	testkit.Must(t, errors.Join(os.Chmod(path, 0o644), os.Chmod(dir, 0o777)))
	got := reported(t, runCommand(t, dir, nil, "doctor", "--db", path, "--json"))
	if k := got["permissions"]; k.Status != doctor.Warning || !strings.Contains(k.Do, `chmod 600 '`+dir+`/it'\''s.db'`) {
		t.Errorf("permissions: %+v, want a warning with a command", k)
	}
	if k := got["folder"]; k.Status != doctor.Warning || !strings.Contains(k.Text, "0777") {
		t.Errorf("folder: %+v, want a warning", k)
	}
}

// Doctor says what makes summaries and why. It never shows a key.
func TestDoctorSummaries(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	const openai = "OPENAI_API_KEY=" + testKey
	for _, c := range []struct {
		variables, args []string
		status          doctor.Status
		text            string
	}{
		{nil, nil, doctor.OK, "outline: no ANTHROPIC_API_KEY or OPENAI_API_KEY is set (applies to this command; a running server has its own setting)"},
		{[]string{haveKey}, nil, doctor.OK, "anthropic, model claude-haiku-4-5: ANTHROPIC_API_KEY is set; --summary-tokens-per-month can limit the cost; doctor does not call it, scratchpad files summarize does ("},
		{[]string{openai, "SCRATCHPAD_SUMMARY_TOKENS_PER_MONTH=1000"}, nil, doctor.OK, "openai, model gpt-4.1-mini: OPENAI_API_KEY is set; at most 1000 tokens a month for each agent"},
		{nil, []string{"--summarizer", "anthropic"}, doctor.Problem, "set ANTHROPIC_API_KEY"},
		{[]string{"ANTHROPIC_API_KEY=" + testKey + " " + testKey}, nil, doctor.Problem, "the key in ANTHROPIC_API_KEY"},
	} {
		o := runCommand(t, dir, c.variables, append([]string{"doctor", "--db", path, "--json"}, c.args...)...)
		if k := reported(t, o)["summaries"]; k.Status != c.status || !strings.Contains(k.Text, c.text) {
			t.Errorf("%q %q: %+v, want %s and %q", c.variables, c.args, k, c.status, c.text)
		}
		plain := runCommand(t, dir, c.variables, append([]string{"doctor", "--db", path}, c.args...)...)
		if strings.Contains(o.out+o.err+plain.out+plain.err, testKey) {
			t.Errorf("%q: the key is shown: %s%s", c.args, plain.out, plain.err)
		}
	}
}
