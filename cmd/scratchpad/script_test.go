package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The test binary is the command if the variable is set, or if it is called as
// scratchpad, which testscript puts on the path.
const runVariable = "TEST_RUN_SCRATCHPAD" // the demo drops those that begin with SCRATCHPAD_

func TestMain(m *testing.M) {
	if os.Getenv(runVariable) != "" {
		if file := os.Getenv(printVariable); file != "" {
			go printWhen(file)
		}
		main()
		return
	}
	os.Setenv("GORACE", raceOptions)
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "scratchpad" {
		for _, variable := range flags.KeyVariables { // a test must not cost anything
			os.Unsetenv(variable)
		}
	}
	testscript.Main(sealed{m}, map[string]func(){"scratchpad": main})
}

// The tests are sealed: the folders of the user who runs them are empty ones.
type sealed struct{ m *testing.M }

// Run implements [testscript.TestingM].
func (s sealed) Run() int {
	testkit.OnlyInShort(inShort)
	testkit.SideBySide()
	remove := testkit.TempInMemory()
	defer remove()
	return testkit.RunSealed(s.m.Run)
}

// inShort are the tests in whose process goroutines share something. The others run commands,
// in which the race detector finds nothing more.
const inShort = "HealthOf(SQLite|Closed|Replaced|Gone)|SharedLook|LookThatHangs|LookPanics|RightCredentialBeside|BesideAFlood|HostileTenant|RevokedKey|NobodyIsServed"

// Under the race detector each process would wait a second at its end.
const raceOptions = "atexit_sleep_ms=0"

// TestScript runs testdata/script. Besides testscript's own commands there are
//
//	run [<FILE] ARGS...      the command in this process, with a file as standard input
//	code N [<FILE] ARGS...   the same, ending with exit code N; code N exec PROGRAM ARGS...: a program
//	waitfor FILE REGEXP      until the file has it
//	fill files|logs|agents N [AGENT]
//	evil FILE                written by a client with an evil name
//	long FILE                a local file that is worth a summary
//	keyid FILE VARIABLE, nosecret FILE: see below
//	model STATUS TEXT        answers as OpenAI's does, at $MODEL; what it is asked is in the file asked
func TestScript(t *testing.T) {
	testscript.Run(t, scripts(t, false))
}

// TestScriptPostgres runs the scripts again, each with a PostgreSQL database of its own in
// place of the default file.
func TestScriptPostgres(t *testing.T) {
	testkit.SkipUnlessLong(t)
	pgtest.URL(t) // skips all of it where there is no PostgreSQL
	testscript.Run(t, scripts(t, true))
}

// scripts returns the scripts, and what they need.
func scripts(t *testing.T, onPostgres bool) testscript.Params {
	dir, err := filepath.Abs("testdata/script") // commands in this process change its folder
	testkit.Must(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	if onPostgres {
		// These are about no database, about a client's file without one, about what is told of a
		// database file alone, and about what is made of texts.
		others := []string{"help.txtar", "project.txtar", "hook.txtar", "diff.txtar", "secrets.txtar", "summarize.txtar", "console.txtar"}
		files = slices.DeleteFunc(files, func(name string) bool { return slices.Contains(others, filepath.Base(name)) })
	}
	return testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", raceOptions)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			if onPostgres {
				e.Setenv("SCRATCHPAD_DB", pgtest.URL(t))
			}
			return nil
		},
		Condition: func(condition string) (bool, error) {
			if condition != "postgres" {
				return false, fmt.Errorf("there is no condition %s", condition)
			}
			return onPostgres, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run": scriptRun, "code": scriptCode, "waitfor": scriptWaitFor, "fill": scriptFill, "evil": scriptEvil, "model": scriptModel,
			"long": scriptLong, "keyid": scriptKeyID, "nosecret": scriptNoSecret,
		},
	}
}

func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] != "exec" {
		got = scriptHere(ts, args[1:])
	} else if err := ts.Exec(args[2], args[3:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[2], err)
		}
		got = exit.ExitCode()
	}
	if got != want || neg {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// waitPatience is how long a test waits for what should come in a moment.
const waitPatience = time.Minute

func scriptWaitFor(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile(`(?m)` + args[1])
	path := ts.MkAbs(args[0])
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(waitPatience); ; <-tick.C {
		content, err := os.ReadFile(path)
		if err == nil && want.Match(content) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s has no %s after %v: %q, %v", args[0], args[1], waitPatience, content, err)
		}
	}
}

func scriptFill(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	agent := defaultAgent
	if len(args) > 2 {
		agent = args[2]
	}
	ts.Check(withScript(ts, func(ctx context.Context, svc *workspace.Service) error {
		var wg sync.WaitGroup
		errs := make([]error, n)
		for i := range n {
			wg.Go(func() {
				name := agent
				if args[0] == "agents" {
					name = fmt.Sprintf("agent-%04d", i)
				}
				ws, err := svc.Agent(name)
				if err == nil && args[0] == "logs" {
					_, err = ws.AppendLog(ctx, fmt.Sprintf("log-%04d", i), []byte("x"))
				} else if err == nil {
					_, err = ws.WriteFile(ctx, fmt.Sprintf("file-%04d", i), []byte("x"), workspace.WriteOptions{})
				}
				errs[i] = err
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	}))
}

// evilName is a client's name that would clear the screen and forge a row.
const evilName = "evil\x1b[2J\n9 9 forged\u202e"

func scriptEvil(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(withScript(ts, func(ctx context.Context, svc *workspace.Service) error {
		ws, err := svc.Agent(defaultAgent)
		if err != nil {
			return err
		}
		_, err = ws.As(workspace.Author{Client: evilName, Version: "1"}).WriteFile(ctx, args[0], []byte("x"), workspace.WriteOptions{})
		return err
	}))
}

// withScript opens the database of a script.
func withScript(ts *testscript.TestScript, fn func(context.Context, *workspace.Service) error) error {
	if name := ts.Getenv("SCRATCHPAD_DB"); name != "" {
		return withDatabase(name, fn)
	}
	folder := filepath.Join(ts.Getenv("XDG_DATA_HOME"), "scratchpad")
	ts.Check(os.MkdirAll(folder, 0o700))
	return withDatabase(filepath.Join(folder, "scratchpad.db"), fn)
}

func withDatabase(name string, fn func(context.Context, *workspace.Service) error) (err error) {
	ctx := context.Background()
	store, err := database.Open(ctx, name, database.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return err
	}
	return fn(ctx, svc)
}

// keyid FILE VARIABLE sets a variable to the id of the key in a file, and one with _KEY after
// its name to the key. nosecret then looks for its secret.
func scriptKeyID(ts *testscript.TestScript, _ bool, args []string) {
	_, text, found := strings.Cut(ts.ReadFile(args[0]), "sp_")
	if !found || len(text) < 8+1+49 {
		ts.Fatalf("%s has no key: %q", args[0], text)
	}
	id, secret := text[:8], text[9:9+49]
	ts.Setenv(args[1], id)
	ts.Setenv(args[1]+"_KEY", "sp_"+id+"_"+secret)
	ts.Setenv("SECRETS", ts.Getenv("SECRETS")+" "+secret)
}

// nosecret FILE fails if a file has the secret of a key, or half of it.
func scriptNoSecret(ts *testscript.TestScript, _ bool, args []string) {
	secrets := strings.Fields(ts.Getenv("SECRETS"))
	if len(secrets) == 0 {
		ts.Fatalf("no secret was noted")
	}
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret[:20]) || strings.Contains(text, secret[22:43]) {
			ts.Fatalf("%s has a secret", args[0])
		}
	}
}

// longText is worth a summary.
var longText = "# The plan\n\n" + strings.Repeat("It moves the invoices, one table a week, and counts their rows.\n\n", 200)

func scriptLong(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(longText), 0o600))
}

// scriptModel starts a server that speaks OpenAI's API.
func scriptModel(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	server := httptest.NewServer(&fakeModel{status: status, text: args[1], asked: ts.MkAbs("asked")})
	ts.Defer(server.Close)
	ts.Setenv("MODEL", server.URL+"/v1")
}

// fakeModel answers always the same, and writes down what it is asked.
type fakeModel struct {
	status      int
	text, asked string

	mu sync.Mutex // guards the file
}

// ServeHTTP implements [http.Handler].
func (f *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	file, openErr := os.OpenFile(f.asked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil || openErr != nil {
		http.Error(w, fmt.Sprint(err, openErr), http.StatusInternalServerError)
		return
	}
	defer file.Close()
	var asked struct{ Model string }
	err = json.Unmarshal(body, &asked)
	fmt.Fprintf(file, "%s model=%s key=%q %v\n", r.URL.Path, asked.Model, r.Header.Get("Authorization"), err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	if f.status != http.StatusOK {
		fmt.Fprintf(w, `{"error":{"message":%q}}`, f.text)
		return
	}
	fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":%d,"completion_tokens":20}}`, f.text, len(body)/4)
}
