//go:build unix

package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const exitInterrupted = 130 // of scratchpad after a signal

// A typed has the keys that the test types when the screen shows the text at.
type typed struct{ at, keys string }

// onTerminal runs scratchpad on a terminal, with its data in dir. It returns the text that
// the screen showed, and the exit code.
func onTerminal(t *testing.T, dir string, env []string, keys []typed, args ...string) (screen string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, scratchpadPath, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "TERM=xterm", "HOME="+dir, "XDG_DATA_HOME="+dir,
		"ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", // a test must not cost anything
		"PATH="+filepath.Dir(scratchpadPath)+string(filepath.ListSeparator)+os.Getenv("PATH"))...)
	tty, err := pty.Start(cmd)
	testkit.Must(t, err)
	defer tty.Close()
	var shown strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		shown.Write(buf[:n])
		for len(keys) > 0 && strings.Contains(shown.String(), keys[0].at) {
			testkit.Must(t, testkit.Err(io.WriteString(tty, keys[0].keys)))
			keys = keys[1:]
		}
		if err != nil { // the end of a terminal is EIO on Linux
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	if len(keys) > 0 {
		t.Errorf("%v never showed %q, but %q", args, keys[0].at, shown.String())
	}
	return shown.String(), cmd.ProcessState.ExitCode()
}

// store calls fn with the default agent's workspace in a data folder.
func store(t *testing.T, dir string, fn func(ctx context.Context, ws *workspace.Workspace) error) {
	t.Helper()
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "scratchpad"), 0o700))
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "scratchpad", "scratchpad.db"), sqlite.Options{})
	testkit.Must(t, err)
	defer func() { testkit.Must(t, db.Close()) }()
	svc, err := workspace.New(db, workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("default")
	testkit.Must(t, err)
	testkit.Must(t, fn(t.Context(), ws))
}

// Control characters from an agent do not reach the terminal.
func TestTerminalEscapes(t *testing.T) {
	dir := t.TempDir()
	const evil = "\x1b[2Jx\r\u009b1m\u202e\u2028\u2029\u200b\u200f\ufeff\x7f"
	store(t, dir, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.WriteFile(ctx, "f", []byte("a\n"), workspace.WriteOptions{})
		if err == nil {
			_, err = ws.WriteFile(ctx, "f", []byte(evil+"\n"), workspace.WriteOptions{})
		}
		if err == nil {
			_, err = ws.AppendLog(ctx, "l", []byte(evil))
		}
		return err
	})
	const shown = `\u001b[2Jx\u000d\u009b1m\u202e\u2028\u2029\u200b\u200f\ufeff\u007f`
	for _, c := range []struct{ args, want string }{
		{"files cat f", shown},
		{"files cat f --json", `\u001b[2Jx\r\u009b1m\u202e\u2028\u2029\u200b\u200f\ufeff\u007f`},
		{"files diff f --color never", "+" + shown},
		{"logs tail l", shown},
	} {
		screen, code := onTerminal(t, dir, nil, nil, strings.Fields(c.args)...)
		plain := strings.ReplaceAll(screen, "\r\n", "\n") // the terminal's own
		if code != 0 || !strings.Contains(plain, c.want) || strings.ContainsAny(plain, "\x1b\r\u009b\u202e\u2028\u2029\u200b\u200f\ufeff\x7f") {
			t.Errorf("scratchpad %s: exit code %d, %q, want %q and no control character", c.args, code, plain, c.want)
		}
	}
	if screen, _ := onTerminal(t, dir, nil, nil, "files", "diff", "f"); !strings.Contains(screen, "\x1b[32m+"+shown) {
		t.Errorf("a diff on a terminal has no colours: %q", screen)
	}
	if screen, _ := onTerminal(t, dir, []string{"NO_COLOR=1"}, nil, "files", "diff", "f"); strings.Contains(screen, "\x1b") {
		t.Errorf("a diff with $NO_COLOR has colours: %q", screen)
	}
}

func TestConfirm(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, func(ctx context.Context, ws *workspace.Workspace) error {
		_, err := ws.WriteFile(ctx, "f", nil, workspace.WriteOptions{})
		if err == nil {
			_, err = ws.AppendLog(ctx, "l", nil)
		}
		return err
	})
	for _, c := range []struct {
		args, prompt, keys string
		code               int
	}{
		{"files rm f --for-good", "Delete f (1 version) of agent default for good? [y/N] ", "n\n", 1},
		{"files rm f --for-good", "[y/N] ", "\x03", 130},
		{"agents rm default", "Delete agent default with 1 file, 1 log, 1 entry, 0 bytes? [y/N] ", "\n", 1},
		{"files rm f --for-good", "[y/N] ", "y\n", 0},
		{"files rm f --yes", "no such file", "", 3},
		{"logs rm l", "[y/N] ", "YES\n", 0},
		{"logs cat l", "no such log", "", 3},
	} {
		screen, code := onTerminal(t, dir, nil, []typed{{c.prompt, c.keys}}, strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("scratchpad %s, answer %q: exit code %d, %q, want %d", c.args, c.keys, code, screen, c.code)
		}
	}
}

// A command that reads a file from the keyboard says so. Ctrl-C ends it.
func TestTypedInput(t *testing.T) {
	dir := t.TempDir()
	const hint = "reading standard input; Ctrl-D on a line of its own ends it\r\n"
	if screen, code := onTerminal(t, dir, nil, []typed{{hint, "one\n\x04"}}, "files", "write", "f"); code != 0 || !strings.Contains(screen, "f: version 1, 4 bytes") {
		t.Errorf("typing a file: exit code %d, %q", code, screen)
	}
	if screen, code := onTerminal(t, dir, nil, []typed{{hint, "\x03"}}, "logs", "append", "l"); code != exitInterrupted {
		t.Errorf("Ctrl-C: exit code %d, %q, want %d", code, screen, exitInterrupted)
	}
}
