package native

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C of the terminal from a program.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
