//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write over the limit on file sizes an error, which the
// store handles. Otherwise the write would end the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }

// ignorePipeSignal makes a write to a client that has left an error, so that the
// server can close the database first.
func ignorePipeSignal() { signal.Ignore(syscall.SIGPIPE) }
