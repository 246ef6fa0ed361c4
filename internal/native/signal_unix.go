//go:build unix

package native

import (
	"os/signal"
	"syscall"
)

// IgnoreFileSizeSignal makes a write over the limit on file sizes an error, which the
// store handles. Otherwise the write would end the process.
func IgnoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }

// IgnorePipeSignal makes a write to a client that has left an error, so that the
// server can close the database first.
func IgnorePipeSignal() { signal.Ignore(syscall.SIGPIPE) }
