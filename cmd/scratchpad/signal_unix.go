//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write over the limit on file sizes an error,
// which the store knows, and not the end of the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }

// ignorePipeSignal makes writing to a client that has gone an error, so that the
// server ends in order.
func ignorePipeSignal() { signal.Ignore(syscall.SIGPIPE) }
