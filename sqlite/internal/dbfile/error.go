package dbfile

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// WithKind gives an error of the operating system its kind:
// [store.ErrStorageFull], [store.ErrReadOnly] or [store.ErrInvalid]. It
// returns nil for nil.
func WithKind(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return store.Errorf(store.ErrStorageFull, "%v", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return store.Errorf(store.ErrReadOnly, "%v; the database's folder must be writable", err)
	}
	return store.Errorf(store.ErrInvalid, "%v", err)
}

// Wrap says what was tried when an error occurred. It keeps the kind of the error.
// Unlike that of [fmt.Errorf], the text of the result can be had without the kind: see
// [store.Words].
func Wrap(err error, format string, args ...any) error {
	return &store.Error{Op: fmt.Sprintf(format, args...), Kind: store.Kind(err), Err: err}
}

// Plain returns the text of an error without its kind, for the text of another error.
func Plain(err error) string {
	if e, ok := err.(*store.Error); ok {
		return e.Text(store.Words{NoKind: true})
	}
	return err.Error()
}
