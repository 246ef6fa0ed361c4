package recordfile

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var (
	kernel32         = syscall.NewLazyDLL("kernel32.dll")
	procLockFileEx   = kernel32.NewProc("LockFileEx")
	procUnlockFileEx = kernel32.NewProc("UnlockFileEx")
)

const (
	lockFailImmediately = 0x1
	lockExclusive       = 0x2
	errorLockViolation  = syscall.Errno(33)
)

// lockedByte returns the byte to lock. It is far behind the end of the file, because
// others cannot read a locked byte.
func lockedByte() *syscall.Overlapped { return &syscall.Overlapped{OffsetHigh: 0x7fffffff} }

func lockFile(f *os.File) error {
	ok, _, err := procLockFileEx.Call(f.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0,
		uintptr(unsafe.Pointer(lockedByte())))
	switch {
	case ok != 0:
		return nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return errHeld
	}
	return err
}

func unlockFile(f *os.File) error {
	if ok, _, err := procUnlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(lockedByte()))); ok == 0 {
		return err
	}
	return nil
}
