package memory

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A program is a block of a page, with what the page says that it prints.
type program struct{ language, text, want string }

var clientBlock = regexp.MustCompile("(?s)```(go|ts) client\n(.*?)```\n+```text\n(.*?)```\n")

// readPrograms returns the programs of a page that need a server.
func readPrograms(t *testing.T, page string) (all []program) {
	t.Helper()
	text, err := os.ReadFile(page)
	testkit.Must(t, err)
	for _, block := range clientBlock.FindAllStringSubmatch(string(text), -1) {
		all = append(all, program{block[1], block[2], block[3]})
	}
	if n := strings.Count(string(text), " client\n"); n != len(all) || n == 0 {
		t.Fatalf("%s has %d programs, and %d of them with their output", page, n, len(all))
	}
	return all
}

// newStore starts a server with a key for an agent.
func newStore(t *testing.T, agent string) (db, host, key string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "team.db")
	_, key = process.NewKey(t, scratchpadPath, db, "--agents", agent)
	at, err := url.Parse(process.Serve(t, scratchpadPath, "--db", db))
	testkit.Must(t, err)
	return db, at.Host, key
}

// TestGuide runs the programs of the guide that use a server, one after the other.
func TestGuide(t *testing.T) {
	programs := readPrograms(t, filepath.Join(module, "docs", "guide", "memory-stores.md"))
	_, host, key := newStore(t, "shop")
	if _, err := newGo(t, "http://"+host, key).call(t, "create", "", m{"name": "shop"}); err != nil { // as the page does
		t.Fatalf("the store was not created: %+v", *err)
	}
	for _, p := range programs {
		out, err := p.command(t, host, key).CombinedOutput()
		if err != nil || string(out) != p.want {
			t.Errorf("the program in %s: %v\n%s\nthe page says:\n%s", p.language, err, out, p.want)
		}
	}
}

// TestReadme runs the program of the README as it stands, with a key as the README makes it,
// on a server that holds nothing. It runs once and no second time, because its file is there
// then.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(module, "README.md"))
	testkit.Must(t, err)
	block := regexp.MustCompile("(?s)```ts\n(.*?)```\n").FindSubmatch(text)
	if block == nil {
		t.Fatal("the README has no program in TypeScript")
	}
	db, host, key := newStore(t, "planner")
	p := program{language: "ts", text: string(block[1])}
	if out, err := p.command(t, host, key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := process.Run(t, scratchpadPath, "files", "cat", "plan.md", "--db", db, "--agent", "planner"); got != "Ship on Friday." {
		t.Errorf("the program has written %q", got)
	}
}

// command returns the command that runs a program with a server. A program in Go is compiled in
// this module, and one for Node finds its packages in a folder of it.
func (p program) command(t *testing.T, host, key string) *exec.Cmd {
	t.Helper()
	text := strings.ReplaceAll(p.text, "127.0.0.1:4321", host)
	cmd := exec.Command(nodePath, "--input-type=module", "-") // without types, it is JavaScript
	cmd.Dir, cmd.Stdin = clients, strings.NewReader(text)
	if p.language == "go" {
		dir := t.TempDir()
		source, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
		testkit.Must(t, os.WriteFile(source, []byte(text), 0o600))
		if out, err := exec.Command("go", "build", "-o", built, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cmd = exec.Command(built)
	}
	cmd.Env = append(os.Environ(), "SCRATCHPAD_API_KEY="+key, "NODE_OPTIONS=", "NO_PROXY=127.0.0.1")
	return cmd
}
