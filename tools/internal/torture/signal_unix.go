//go:build unix

package torture

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const canStop = true

// ownGroup keeps an interrupt at the terminal from the process. If its parent dies while
// the process is stopped, the system ends it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func stopProcess(p *os.Process) error     { return p.Signal(syscall.SIGSTOP) }
func continueProcess(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// clock returns the nanoseconds of a clock that all processes share and that nobody sets.
func clock() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return t.Nano()
}
