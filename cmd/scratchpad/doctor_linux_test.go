package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const (
	holdVariable = "SCRATCHPAD_TEST_HOLD" // the test binary opens this file, and waits
	nobody       = 65534
)

func init() {
	if os.Getenv(nobodyVariable) != "" && os.Getuid() == 0 {
		becomeNobody()
	}
}

func becomeNobody() {
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody), syscall.Setresuid(nobody, nobody, nobody)); err != nil {
		panic(err)
	}
}

// TestHold is the child of [hold].
func TestHold(t *testing.T) {
	path := os.Getenv(holdVariable)
	if path == "" {
		return
	}
	f, err := os.Open(path)
	testkit.Must(t, err)
	defer f.Close()
	fmt.Println("held")
	bufio.NewReader(os.Stdin).ReadString('\n')
}

// hold starts another process that has the file open until the test ends.
func hold(t *testing.T, path string) (pid int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHold$", "-test.v", "an \x1b[31margument")
	cmd.Args[0] = "holder" // doctor shows the start of a command line, and the path of the test may be long
	cmd.Env = append(os.Environ(), holdVariable+"="+path)
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "held" {
			return cmd.Process.Pid
		}
	}
	t.Fatal("the child does not hold the file")
	return 0
}

func TestDoctorNeighbours(t *testing.T) {
	dir, path := newDatabase(t)
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, "no other process has it open")
	pid := hold(t, path)
	o := runCommand(t, dir, nil, "doctor", "--db", path)
	o.must(t, 0, fmt.Sprintf("open in process %d (", pid), `an \u001b[31margument`)
	if strings.Contains(o.out, "\x1b") {
		t.Errorf("the command line of another process reaches the terminal: %q", o.out)
	}
	testkit.Must(t, os.Remove(path))
	makeDatabase(t, path)
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, fmt.Sprintf("process %d", pid), "was deleted or replaced", "warning")
}

// Doctor tells a user without rights what to do.
func TestDoctorNoRights(t *testing.T) {
	for _, c := range []struct {
		name         string
		folder, file os.FileMode
		say          []string
	}{
		{"File", 0o700, 0o000, []string{"this user may not write it", "permissions of the file"}},
		{"FolderReadOnly", 0o500, 0o600, []string{"this user may not write in"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, path := protected(t, 0o700, 0o600)
			dir := filepath.Dir(path)
			before := contents(t, dir)
			if os.Getuid() == 0 {
				for name := range before {
					testkit.Must(t, os.Chown(filepath.Join(dir, name), nobody, nobody))
				}
				testkit.Must(t, os.Chown(dir, nobody, nobody))
			}
			testkit.Must(t, errors.Join(os.Chmod(path, c.file), os.Chmod(dir, c.folder)))
			o := runCommand(t, root, []string{nobodyVariable + "=1"}, "doctor", "--db", path)
			testkit.Must(t, errors.Join(os.Chmod(dir, 0o700), os.Chmod(path, 0o600)))
			o.must(t, 6, c.say...)
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("the folder has changed (-before +after):\n%s", diff)
			}
		})
	}
}
