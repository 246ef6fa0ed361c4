package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const syncSDK = "github.com/anthropics/anthropic-sdk-go"

// notAsServed are the tests of the SDK that cannot pass at a real server, and why.
var notAsServed = map[string]string{
	"TestMemorySync_PathsThatEscapeTheStoreAreRefused": "its server holds a memory ../evil.md, which scratchpad serve refuses",
}

// notAsRoot are the tests that the SDK skips for root.
var notAsRoot = map[string]bool{
	"TestMemorySync_AnUnwritableMountPathFailsTheDownload":                                 true,
	"TestDeleteDiscipline_AnUnreadableSubdirectoryFailsThePassInsteadOfReadingAsDeletions": true,
}

// TestSync runs the tests that the SDK for Go has for its synchronization of a folder with
// a memory store. They are those of the released module. Only the function that answers for
// their simulated server is another, that of testdata/forward_test.go.
func TestSync(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir()+"/team.db")
	_, key := s.createKey(t, "sync", "--agents", "*")
	dir, names := syncModule(t)
	cmd := exec.Command("go", "test", "-mod=mod", "-vet=off", "-count=1", "-timeout=3m", "-json", "-run=^("+strings.Join(names, "|")+")$", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MEMORY_SERVER="+s.url, "MEMORY_KEY="+key, "GOFLAGS=-trimpath", "GOWORK=off") // -trimpath as in CI, which has the standard library compiled so
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	results, texts := results(t, out)
	for _, name := range names {
		want := "pass"
		if notAsServed[name] != "" {
			want = "fail"
		} else if notAsRoot[name] && os.Geteuid() == 0 {
			want = "skip"
			t.Logf("skipped: %s, as root", name)
		}
		if results[name] != want {
			t.Errorf("%s: %q, want %s\n%s", name, results[name], want, texts[name])
		}
	}
	t.Logf("%d tests of the SDK", len(names))
	if len(results) != len(names) {
		t.Errorf("%d tests ran, want %d: %s%s", len(results), len(names), texts[""], &said)
	}
}

// results returns what became of each test, and what each has printed.
func results(t *testing.T, out []byte) (results, texts map[string]string) {
	t.Helper()
	results, texts = map[string]string{}, map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Test, Output string }
		if err := d.Decode(&e); err == io.EOF {
			return results, texts
		} else if err != nil {
			t.Fatalf("go test -json: %v\n%.4000s", err, out)
		}
		name, _, _ := strings.Cut(e.Test, "/")
		texts[name] += e.Output
		if e.Test == name && name != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			results[name] = e.Action
		}
	}
}

// syncModule makes a module of the SDK's package and its tests. It lies below the SDK's own
// path, because the package uses internal ones. It returns the names of the tests.
func syncModule(t *testing.T) (dir string, names []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", syncSDK).Output()
	if err != nil {
		t.Fatal(err)
	}
	released := strings.TrimSpace(string(out))
	dir = t.TempDir()
	files, err := filepath.Glob(filepath.Join(released, "lib", "environments", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no package environments in %s: %v", released, err)
	}
	tests := regexp.MustCompile(`(?m)^func (Test\w+)`)
	for _, file := range files {
		text, name := read(t, file), filepath.Base(file)
		if name == "opentelemetry_test.go" { // it needs more modules
			continue
		}
		if name == "memories_test.go" {
			const answers = "func (m *memoryServer) handleMemories("
			if strings.Count(text, answers) != 1 {
				t.Fatalf("%s has changed: no %s", file, answers)
			}
			text = strings.Replace(text, answers, "func (m *memoryServer) simulateMemories(", 1)
		}
		if strings.HasPrefix(name, "memories") {
			for _, found := range tests.FindAllStringSubmatch(text, -1) {
				names = append(names, found[1])
			}
		}
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "forward_test.go"), read(t, filepath.Join("testdata", "forward_test.go")))
	goMod(t, dir, released)
	return dir, names
}

// goMod writes the go.mod and go.sum of the module, with the versions of this one's, so that
// packages that are compiled for it need not be compiled again.
func goMod(t *testing.T, dir, released string) {
	t.Helper()
	f, err := modfile.Parse("go.mod", []byte(read(t, filepath.Join("..", "go.mod"))), nil)
	if err != nil {
		t.Fatal(err)
	}
	own := "github.com/agent-scratchpad/scratchpad"
	err = errors.Join(f.AddModuleStmt(syncSDK+"/served"), f.DropRequire(own), f.DropReplace(own, ""), f.DropIgnore("./node_modules"))
	f.Cleanup()
	text, bad := f.Format()
	if err = errors.Join(err, bad); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), string(text))
	write(t, filepath.Join(dir, "go.sum"), read(t, filepath.Join("..", "go.sum"))+read(t, filepath.Join(released, "go.sum")))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
