package failure

import (
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/observe/health"
)

// Exit codes. The help of the command lists them. Package kind has the code of each kind.
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

// names are the kinds of errors that the command alone has, with their names in JSON.
var names = []struct {
	kind error
	name string
}{
	{errDatabase, "database"}, {clientconfig.ErrByHand, "by_hand"}, {ErrDeclined, "declined"},
	{health.ErrNotReady, "not_ready"}, {ErrLeftOut, "left_out"},
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
	exit := max(errorkind.Of(err).Exit, ExitError)
	if ctx.Err() != nil && exit == ExitError {
		return ExitInterrupted
	}
	return exit
}

// kindName is the name of an error's kind in JSON.
func kindName(ctx context.Context, err error) string {
	if ExitCode(ctx, err) == ExitInterrupted {
		return "interrupted"
	}
	if k := errorkind.Of(err); k.Name != "" {
		return k.Name
	}
	for _, n := range names {
		if errors.Is(err, n.kind) {
			return n.name
		}
	}
	return "internal"
}

// OfDatabase returns an error of opening the database, or of what stands in it. Its exit
// code is [ExitDatabase], whatever other kind it has.
func OfDatabase(err error) error { return marked{error: err, kind: errDatabase} }

// WithKind returns an error with one more kind, which its text does not show.
func WithKind(err, kind error) error { return marked{error: err, kind: kind} }

// Followed returns an error with a sentence after it.
func Followed(err error, more string) error { return marked{error: err, more: "; " + more} }

// marked is an error with one more kind, or with a sentence after its text.
type marked struct {
	error
	kind error // nil: none
	more string
}

func (m marked) Error() string { return m.error.Error() + m.more }

func (m marked) Unwrap() []error { return []error{m.error, m.kind} }
