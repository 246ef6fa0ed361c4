package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const fetchVariable = "SCRATCHPAD_TEST_FETCH" // the test binary is another user who fetches this link

func init() {
	if link := os.Getenv(fetchVariable); link != "" {
		becomeNobody()
		res, err := http.Get(link)
		if err != nil {
			panic(err)
		}
		fmt.Printf("uid %d got %d\n", os.Getuid(), res.StatusCode)
		os.Exit(0)
	}
}

// Another user who has seen the link is refused, and does not use it up.
func TestLinkOfConsoleIsForItsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	c := openConsole(t, []string{"SUDO_UID="}, "--db", filepath.Join(t.TempDir(), "a.db"))
	thief := exec.Command(os.Args[0])
	thief.Env = append(os.Environ(), fetchVariable+"="+c.link.String())
	if out, err := thief.CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("uid %d got 403", nobody)) {
		t.Errorf("another user: %v\n%s", err, out)
	}
	if status, page := c.visit(t, browser(t), c.link.String(), ""); status != 200 || !strings.Contains(page, "Sign out") {
		t.Errorf("the owner: %d\n%s", status, page)
	}
	if said := c.err.String(); !strings.Contains(said, "another user has tried the link") || strings.Contains(said, c.link.Query().Get("token")) {
		t.Errorf("it said %q", said)
	}
}

// A terminal is what a person sits at.
type screen struct{ master, slave *os.File }

func newScreen(t *testing.T) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	testkit.Must(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	testkit.Must(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	t.Cleanup(func() { slave.Close() })
	return &screen{master, slave}
}

// On a terminal the link opens in the browser, which signals of the terminal do not reach.
// The console ends with the terminal.
func TestConsoleOnTerminal(t *testing.T) {
	// Where SIGHUP is ignored, as under nohup, a child would ignore it, too. A signal with a
	// handler has its default in a child.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	dir := t.TempDir()
	shown := filepath.Join(dir, "shown")
	script := "#!/bin/sh\necho \"$(ps -o pgid= $$) $1\" >" + shown + ".new && mv " + shown + ".new " + shown + "\n"
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700))
	for name, c := range map[string]struct {
		args, variables []string
		opens           bool
	}{
		"a screen":        {nil, []string{"DISPLAY=:9"}, true},
		"--no-open":       {[]string{"--no-open"}, []string{"DISPLAY=:9"}, false},
		"no such program": {nil, []string{"DISPLAY=:9", "PATH=/nonexistent"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(shown)
			s := newScreen(t)
			cmd := exec.Command(os.Args[0], append([]string{"console", "--db", filepath.Join(t.TempDir(), "a.db")}, c.args...)...)
			cmd.Env = append(environ("PATH="+dir+":"+os.Getenv("PATH")), c.variables...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			testkit.Must(t, cmd.Start())
			s.slave.Close()
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			said := s.readTo(t, "ends the console")
			_, link, _ := strings.Cut(said, "http://")
			link = "http://" + strings.Fields(link)[0]
			if got := strings.Contains(said, "opens in the browser"); got != c.opens {
				t.Errorf("it said %q", said)
			}
			if c.opens {
				checkShown(t, shown, link, cmd.Process.Pid)
			} else if _, err := os.Stat(shown); err == nil {
				t.Error("a browser was started")
			}
			s.master.Close() // as a terminal that is closed
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("with its terminal the console ended with %v, want a clean end", err)
				}
			case <-time.After(waitPatience):
				t.Error("without a terminal the console goes on")
			}
		})
	}
}

// readTo reads what is on the screen up to a text.
func (s *screen) readTo(t *testing.T, text string) string {
	t.Helper()
	testkit.Must(t, s.master.SetReadDeadline(time.Now().Add(waitPatience)))
	var said strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(said.String(), text); {
		if _, err := io.ReadFull(s.master, b); err != nil {
			t.Fatalf("on the screen is %q: %v", said.String(), err)
		}
		said.Write(b)
	}
	return said.String()
}

// checkShown waits for the browser, which must have the link, in a group of its own.
func checkShown(t *testing.T, file, link string, console int) {
	t.Helper()
	var got []byte
	eventually(t, "no browser was started", func() (is bool) {
		var err error
		got, err = os.ReadFile(file)
		return err == nil
	})
	group, address, _ := strings.Cut(strings.TrimSpace(string(got)), " ")
	if address != link || group == fmt.Sprint(console) {
		t.Errorf("the browser got %q in the group %s, want %q in another than %d", address, group, link, console)
	}
}

// serveOn starts scratchpad serve with the given standard input and standard error, and waits
// until the screen shows how it ends.
func serveOn(t *testing.T, in, errors *os.File, screen io.Reader, args ...string) *running {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = environ()
	cmd.Stdin, cmd.Stderr = in, errors
	testkit.Must(t, cmd.Start())
	r := &running{cmd: cmd, done: make(chan error, 1), log: new(testkit.Buffer)}
	go func() { r.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill(); <-r.done })
	if r.listen(screen); r.url == "" {
		t.Fatalf("the server ended: %q", r.said)
	}
	return r
}

var keyForm = regexp.MustCompile(`sp_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}`)

// keys returns the keys that a server has shown.
func (r *running) keys() []string { return keyForm.FindAllString(strings.Join(r.said, "\n"), -1) }

// The first start on a terminal shows a key, once. The key opens the memory of the agent
// default. The next start shows none.
func TestKeyIsShownOnATerminal(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	screen := newScreen(t)
	r := serveOn(t, screen.slave, screen.slave, screen.master, "--db", db)
	keys := r.keys()
	if len(keys) != 1 {
		t.Fatalf("the first start on a terminal shows %d keys: %q", len(keys), r.said)
	}
	s := r.client(t, keys[0])
	wantCall(t, s, "append_log", object{"path": "l", "entry": "the first"}, "")
	wantCall(t, s, "read_log", object{"path": "l"}, "the first")
	if status, body := r.get(t, "/mcp", ""); status != http.StatusUnauthorized {
		t.Errorf("without the key: %d %s, want 401", status, body)
	}
	runCommand(t, t.TempDir(), nil, "logs", "cat", "l", "--agent", "default", "--db", db).must(t, 0, "the first")
	line := regexp.MustCompile(`clients +scratchpad (.*)`).FindStringSubmatch(strings.Join(r.said, "\n"))
	if line == nil {
		t.Fatalf("the server shows no line for clients: %q", r.said)
	}
	runCommand(t, t.TempDir(), []string{"SCRATCHPAD_API_KEY=" + keys[0]}, strings.Fields(line[1])...).must(t, 0, r.url+"/mcp")
	r.stop(t)
	screen = newScreen(t)
	r = serveOn(t, screen.slave, screen.slave, screen.master, "--db", db)
	if keys := r.keys(); len(keys) > 0 || !strings.Contains(strings.Join(r.said, "\n"), "callers with a key") {
		t.Errorf("the second start says %q, want no key", r.said)
	}
	r.stop(t)
}

// Without somebody who reads and types, no key is made: a log must not have one. Nor is
// one with --no-auth.
func TestKeyIsShownOnATerminalOnly(t *testing.T) {
	null, err := os.Open(os.DevNull)
	testkit.Must(t, err)
	defer null.Close()
	screen := newScreen(t)
	user, programs := screen.master, screen.slave
	log, errors, err := os.Pipe()
	testkit.Must(t, err)
	defer log.Close()
	defer errors.Close()
	db := filepath.Join(t.TempDir(), "team.db")
	for name, r := range map[string]*running{
		"standard input is no terminal": serveOn(t, null, programs, user, "--db", db),
		"standard error is no terminal": serveOn(t, programs, errors, log, "--db", db),
		"with --no-auth":                serveOn(t, programs, programs, user, "--db", db, "--no-auth"),
	} {
		if keys := r.keys(); len(keys) > 0 {
			t.Errorf("%s: the server shows %q", name, keys)
		}
		r.stop(t)
	}
	runCommand(t, t.TempDir(), nil, "keys", "ls", "--db", db).must(t, 0, "no keys")
}

// While the command asks, the log gets an entry. So a yes deletes nothing.
func TestLogsRmAsksAboutWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	runCommand(t, dir, nil, "logs", "append", "l", "seen", "--db", path).must(t, 0)
	s := newScreen(t)
	cmd := exec.Command(os.Args[0], "logs", "rm", "l", "--db", path)
	cmd.Dir, cmd.Env = dir, environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
	testkit.Must(t, cmd.Start())
	s.slave.Close()
	s.readTo(t, "[y/N] ")
	runCommand(t, dir, nil, "logs", "append", "l", "late", "--db", path).must(t, 0)
	testkit.Must(t, testkit.Err(io.WriteString(s.master, "y\n")))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != failure.ExitConflict {
		t.Errorf("exit code %d, want %d", code, failure.ExitConflict)
	}
	s.readTo(t, "delete log l: its last entry is 2, not 1")
	runCommand(t, dir, nil, "logs", "cat", "l", "--db", path).must(t, 0, "seen", "late")
}

// On a terminal a command says once whose memory it uses. With --json it does not.
func TestMemoryOfAProjectIsSaid(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	makeRepositories(t, dir)
	db := filepath.Join(t.TempDir(), "a.db")
	for _, c := range []struct{ args, want string }{
		{"logs append l one", "memory of project shop; --agent default for your own\r\n" + "l: "},
		{"brief --mark m", "memory of project shop; --agent default for your own\r\n" + "This memory"},
		{"logs ls --json", "[{"},
		{"logs ls --agent default", "no logs of agent default"},
	} {
		s := newScreen(t)
		cmd := exec.Command(os.Args[0], append(strings.Fields(c.args), "--db", db)...)
		cmd.Dir, cmd.Env = dir, environ()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
		testkit.Must(t, cmd.Run())
		s.slave.Close()
		if said, _ := io.ReadAll(s.master); !strings.HasPrefix(string(said), c.want) ||
			strings.Count(string(said), "memory of project") > 1 {
			t.Errorf("scratchpad %s says %q, want %q first", c.args, said, c.want)
		}
	}
}
