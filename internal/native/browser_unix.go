//go:build unix

package native

import (
	"os/exec"
	"syscall"
)

// detach keeps signals of the terminal from a program: Ctrl-C must not close a browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
