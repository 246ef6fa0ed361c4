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
		return fmt.Errorf("%v: %w", err, workspace.ErrStorageFull)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%v; the database's folder must be writable: %w", err, workspace.ErrReadOnly)
	}
	return fmt.Errorf("%v: %w", err, workspace.ErrInvalid)
}
