package main

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/health"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Exit codes; the help lists them.
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

// kinds are the errors that the command tells apart, with their names in JSON. The
// first that an error is counts.
var kinds = []struct {
	kind error
	code int
	name string
}{
	{workspace.ErrNotFound, exitNotFound, "not_found"},
	{workspace.ErrConflict, exitConflict, "conflict"},
	{workspace.ErrTooLarge, exitLimit, "too_large"},
	{workspace.ErrQuota, exitLimit, "quota"},
	{workspace.ErrCorrupt, exitDatabase, "corrupt"},
	{workspace.ErrBusy, exitDatabase, "busy"},
	{workspace.ErrStorageFull, exitDatabase, "storage_full"},
	{workspace.ErrOutcomeUnknown, exitDatabase, "outcome_unknown"},
	{workspace.ErrReadOnly, exitDatabase, "read_only"},
	{workspace.ErrUnsupported, exitDatabase, "unsupported"},
	{workspace.ErrInvalid, exitUsage, "invalid"},
	{workspace.ErrProvider, exitError, "provider"},
	{workspace.ErrClosed, exitError, "closed"},
	{errDatabase, exitDatabase, "database"},
	{errByHand, exitError, "by_hand"},
	{errDeclined, exitError, "declined"},
	{health.ErrNotReady, exitError, "not_ready"},
	{errLeftOut, exitError, "left_out"},
}

// exitCode turns the kind of an error into the process's exit code.
func exitCode(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	if errors.Is(err, errDatabase) {
		return exitDatabase
	}
	for _, k := range kinds {
		if errors.Is(err, k.kind) && k.code != exitError {
			return k.code
		}
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitError
}

// kindName is the name of an error's kind in JSON.
func kindName(ctx context.Context, err error) string {
	if exitCode(ctx, err) == exitInterrupted {
		return "interrupted"
	}
	for _, k := range kinds {
		if errors.Is(err, k.kind) {
			return k.name
		}
	}
	return "internal"
}

// marked is an error with one more kind, that its text does not show.
type marked struct{ error }

func (m marked) Unwrap() []error { return []error{m.error, errDatabase} }
