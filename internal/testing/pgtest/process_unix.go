//go:build unix

package pgtest

import "syscall"

const canKeep = true

// processOf says how to start a process: as an account, if it is not nil, and in a
// process group, which is a new one if group is 0.
func processOf(as *account, group int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return attr
}

// ended reports whether a child has ended, and reaps it. It does not wait.
func ended(pid int) bool {
	got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	return err != nil && err != syscall.EINTR || got == pid
}
