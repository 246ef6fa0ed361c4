package postgres

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	stateReadOnly          = "25006"
	stateSerialization     = "40001"
	stateDeadlock          = "40P01"
	stateCompletionUnknown = "40003"
	stateLockTimeout       = "55P03"
	stateQueryCanceled     = "57014"
	stateDiskFull          = "53100"
	stateNoPrivilege       = "42501"
	stateUndefinedTable    = "42P01"
	stateUndefinedCol      = "42703"
	stateDuplicateTable    = "42P07"
	stateDuplicateType     = "42710"
	stateNoSchema          = "3F000"
)

// stateOf returns the SQLSTATE of an error of the server, else "".
func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// isLost reports whether an error means that the connection is of no use any more. So are
// an error of the network, and one of the server that ends the session.
func isLost(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return true
	}
	severity := cmp.Or(e.SeverityUnlocalized, e.Severity) // engines that speak the protocol may send one alone
	return severity == "FATAL" || severity == "PANIC" || class(e.Code, "08") || class(e.Code, "57P")
}

// mayHaveCommitted reports whether an error of the server in answer to a COMMIT may come
// after the transaction was committed. Engines that speak the protocol have codes for that:
// 40003 where they cannot tell, and XXA00 for what was committed in part. PostgreSQL answers
// with an internal error or an error of its system where it does not know better. Other
// errors mean that the transaction was rolled back.
func mayHaveCommitted(err error) bool {
	code := stateOf(err)
	return code == stateCompletionUnknown || class(code, "XX") || class(code, "58") || class(code, "F0")
}

func class(code, prefix string) bool { return strings.HasPrefix(code, prefix) }

// mayRunAgain reports whether a transaction that failed with err before its COMMIT was
// sent may succeed if it runs again.
func mayRunAgain(err error) bool {
	if kind := store.Kind(err); kind != nil {
		return kind == store.ErrBusy
	}
	switch code := stateOf(err); code {
	case stateSerialization, stateDeadlock:
		return true
	default:
		return isLost(err) || class(code, "53") && code != stateDiskFull
	}
}

// mayConnectAgain reports whether a connection that failed with err may succeed later.
func mayConnectAgain(err error) bool {
	code := stateOf(err)
	return !class(code, "28") && !class(code, "3D") // who is asking, and the database's name
}

// kindOf returns the kind of an error of the server, for a statement that did not happen.
func kindOf(err error) error {
	code := stateOf(err)
	switch {
	case code == stateLockTimeout, code == stateQueryCanceled, code == stateSerialization, code == stateDeadlock:
		return store.ErrBusy
	case code == stateDiskFull:
		return store.ErrStorageFull
	case code == stateReadOnly, code == stateNoPrivilege:
		return store.ErrReadOnly
	case code == stateUndefinedTable, code == stateUndefinedCol, class(code, "28"), class(code, "3D"):
		return store.ErrUnsupported
	case class(code, "23"), class(code, "XX001"), class(code, "XX002"):
		return store.ErrCorrupt
	case class(code, "22"):
		return store.ErrInvalid
	}
	return store.ErrBusy
}

// A serverError is an error of the server or of the network. Agents see its text, so the text
// has neither an address nor the message of the server, which may quote values and names of
// the schema. The log has the message, see [Store.logRefusal].
type serverError struct{ err error }

func (e *serverError) Error() string {
	if state := stateOf(e.err); len(state) >= 2 && !isLost(e.err) {
		return "PostgreSQL answered with an error of class " + state[:2] + "; the log has its message"
	}
	return "PostgreSQL: the connection was lost"
}

func (e *serverError) Unwrap() error { return e.err }

// failed returns the error of a call that is known not to have happened. It returns errors
// that have a kind, or are a context's, as they are.
func failed(ctx context.Context, err error) error {
	if err == nil || store.Kind(err) != nil {
		return err
	}
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	return &store.Error{Kind: kindOf(err), Err: &serverError{err}}
}

// logRefusal logs what the server said about a call that failed with err. The detail of the
// message stays out, because it may have the content of a row. A commit whose outcome is
// unknown has a line in the log already, see [tx.judge].
func (s *Store) logRefusal(err error) {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !errors.Is(err, store.ErrOutcomeUnknown) {
		s.log.Warn("postgres: the server answered with an error", "sqlstate", refused.Code, "message", refused.Message)
	}
}

// unknown is the error of a COMMIT that was sent, and whose answer is not known.
func unknown(cause error, format string, args ...any) error {
	return store.CausedBy(cause, store.ErrOutcomeUnknown, format, args...)
}
