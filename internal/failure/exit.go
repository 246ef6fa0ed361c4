package failure

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/health"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Exit codes. The help of the command lists them.
const (
	ExitError       = 1   // what was asked for failed; the error says why
	ExitUsage       = 2   // the command line or a value is wrong
	ExitNotFound    = 3   // there is no such file, version, log or database
	ExitConflict    = 4   // the file is not what the command expects
	ExitLimit       = 5   // a size or a quota
	ExitDatabase    = 6   // foreign, damaged, busy, full, read-only
	ExitInterrupted = 130 // by a signal, as shells count it
)

// errDatabase marks an error of opening the database, or of what stands in it.
var errDatabase = errors.New("database")

// Kinds of errors of commands, for errors.Is.
var (
	ErrDeclined = errors.New("nothing was changed")   // the user did not answer yes
	ErrLeftOut  = errors.New("could not be imported") // a part of a folder
)

// kinds are the errors that the command tells apart, with their names in JSON. The
// first that an error is counts.
var kinds = []struct {
	kind error
	code int
	name string
}{
	{workspace.ErrNotFound, ExitNotFound, "not_found"},
	{workspace.ErrConflict, ExitConflict, "conflict"},
	{workspace.ErrTooLarge, ExitLimit, "too_large"},
	{workspace.ErrQuota, ExitLimit, "quota"},
	{workspace.ErrCorrupt, ExitDatabase, "corrupt"},
	{workspace.ErrBusy, ExitDatabase, "busy"},
	{workspace.ErrStorageFull, ExitDatabase, "storage_full"},
	{workspace.ErrOutcomeUnknown, ExitDatabase, "outcome_unknown"},
	{workspace.ErrReadOnly, ExitDatabase, "read_only"},
	{workspace.ErrUnsupported, ExitDatabase, "unsupported"},
	{workspace.ErrInvalid, ExitUsage, "invalid"},
	{workspace.ErrProvider, ExitError, "provider"},
	{workspace.ErrClosed, ExitError, "closed"},
	{errDatabase, ExitDatabase, "database"},
	{clientconfig.ErrByHand, ExitError, "by_hand"},
	{ErrDeclined, ExitError, "declined"},
	{health.ErrNotReady, ExitError, "not_ready"},
	{ErrLeftOut, ExitError, "left_out"},
}

// ExitCode turns the kind of an error into the process's exit code. An error that the end
// of ctx made is [ExitInterrupted].
func ExitCode(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	if errors.Is(err, errDatabase) {
		return ExitDatabase
	}
	for _, k := range kinds {
		if errors.Is(err, k.kind) && k.code != ExitError {
			return k.code
		}
	}
	if ctx.Err() != nil {
		return ExitInterrupted
	}
	return ExitError
}

// kindName is the name of an error's kind in JSON.
func kindName(ctx context.Context, err error) string {
	if ExitCode(ctx, err) == ExitInterrupted {
		return "interrupted"
	}
	for _, k := range kinds {
		if errors.Is(err, k.kind) {
			return k.name
		}
	}
	return "internal"
}

// OfDatabase returns an error of opening the database, or of what stands in it. Its exit
// code is [ExitDatabase], whatever other kind it has.
func OfDatabase(err error) error { return ofKind{err, errDatabase} }

// WithKind returns an error with one more kind, which its text does not show.
func WithKind(err, kind error) error { return ofKind{err, kind} }

type ofKind struct {
	error
	kind error
}

func (e ofKind) Unwrap() []error { return []error{e.error, e.kind} }
