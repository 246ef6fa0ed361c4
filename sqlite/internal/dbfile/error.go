package dbfile

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// WithKind gives an error of the operating system its kind:
// [workspace.ErrStorageFull], [workspace.ErrReadOnly] or [workspace.ErrInvalid]. It
// returns nil for nil.
func WithKind(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return workspace.Errorf(workspace.ErrStorageFull, "%v", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return workspace.Errorf(workspace.ErrReadOnly, "%v; the database's folder must be writable", err)
	}
	return workspace.Errorf(workspace.ErrInvalid, "%v", err)
}

// Wrap says what was tried when an error occurred. It keeps the kind of the error.
// Unlike that of [fmt.Errorf], the text of the result can be had without the kind: see
// [workspace.Words].
func Wrap(err error, format string, args ...any) error {
	return &workspace.Error{Op: fmt.Sprintf(format, args...), Kind: workspace.Kind(err), Err: alone(err)}
}

// CausedBy returns an error of a kind that another error caused. Its text does not
// contain that of the cause.
func CausedBy(cause, kind error, format string, args ...any) error {
	e := workspace.Errorf(kind, format, args...)
	e.Err = cause
	return e
}

// Plain returns the text of an error without its kind, for the text of another error.
func Plain(err error) string {
	if e, ok := alone(err).(*workspace.Error); ok {
		return e.Text(workspace.Words{NoKind: true})
	}
	return err.Error()
}

// alone returns the only error in what [errors.Join] returned, and every other error as
// it is.
func alone(err error) error {
	if _, ok := err.(*workspace.Error); ok {
		return err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 1 {
		return err
	}
	return alone(joined.Unwrap()[0])
}
