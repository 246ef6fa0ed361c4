package main

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Exit codes; the help and the README list them.
const (
	exitError       = 1   // what was asked for failed; the error says why
	exitUsage       = 2   // the command line or a value is wrong
	exitNotFound    = 3   // there is no such file, version, log or database
	exitConflict    = 4   // the file is not what the command expects
	exitLimit       = 5   // a size or a quota
	exitDatabase    = 6   // foreign, damaged, busy, full, read-only
	exitInterrupted = 130 // by a signal, as shells count it
)

// errDatabase marks an error of opening the database, or of what stands in it.
var errDatabase = errors.New("database")

// exitCode turns the kind of an error into the process's exit code.
func exitCode(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	for _, c := range []struct {
		kind error
		code int
	}{
		{errDatabase, exitDatabase},
		{workspace.ErrNotFound, exitNotFound},
		{workspace.ErrConflict, exitConflict},
		{workspace.ErrTooLarge, exitLimit},
		{workspace.ErrQuota, exitLimit},
		{workspace.ErrCorrupt, exitDatabase},
		{workspace.ErrBusy, exitDatabase},
		{workspace.ErrStorageFull, exitDatabase},
		{workspace.ErrOutcomeUnknown, exitDatabase},
		{workspace.ErrReadOnly, exitDatabase},
		{workspace.ErrUnsupported, exitDatabase},
		{workspace.ErrInvalid, exitUsage},
	} {
		if errors.Is(err, c.kind) {
			return c.code
		}
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitError
}

// marked is an error with one more kind, that its text does not show.
type marked struct{ error }

func (m marked) Unwrap() []error { return []error{m.error, errDatabase} }
