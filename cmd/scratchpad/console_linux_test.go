package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
func TestConsoleOfAnotherUser(t *testing.T) {
	testkit.SkipInShort(t)
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
	testkit.SkipInShort(t)
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
	for deadline := time.Now().Add(waitPatience); ; time.Sleep(10 * time.Millisecond) {
		got, err := os.ReadFile(file)
		if err != nil && time.Now().Before(deadline) {
			continue
		}
		testkit.Must(t, err)
		group, address, _ := strings.Cut(strings.TrimSpace(string(got)), " ")
		if address != link || group == fmt.Sprint(console) {
			t.Errorf("the browser got %q in the group %s, want %q in another than %d", address, group, link, console)
		}
		return
	}
}
