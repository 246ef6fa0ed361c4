package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const nobody = 65534

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

// hold starts another process that has the file open until the test ends.
func hold(t *testing.T, path string) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `exec 3<"$1"; echo; read x`, "an \x1b[31margument", path)
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	testkit.Must(t, testkit.Err(out.Read(make([]byte, 1))))
	return cmd.Process.Pid
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
			check := unchanged(t, dir)
			if os.Getuid() == 0 {
				for name := range contents(t, dir) {
					testkit.Must(t, os.Chown(name, nobody, nobody))
				}
				testkit.Must(t, os.Chown(dir, nobody, nobody))
			}
			testkit.Must(t, errors.Join(os.Chmod(path, c.file), os.Chmod(dir, c.folder)))
			o := runCommand(t, root, []string{nobodyVariable + "=1"}, "doctor", "--db", path)
			testkit.Must(t, errors.Join(os.Chmod(dir, 0o700), os.Chmod(path, 0o600)))
			o.must(t, 6, c.say...)
			check()
		})
	}
}
