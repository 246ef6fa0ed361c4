package pad

import (
	"errors"
	"fmt"
)

// codeError is an error with a code of the npm package.
type codeError struct{ text, code string }

func (e *codeError) Error() string { return e.text }

// Code returns the error code that the npm package uses.
func (e *codeError) Code() string { return e.code }

// The kinds of error, for [errors.Is]. Each has a method Code() string.
var (
	ErrConfig   error = &codeError{"invalid option", "SCRATCHPAD_CONFIG_ERROR"}
	ErrKey      error = &codeError{"invalid key", "SCRATCHPAD_KEY_ERROR"}
	ErrNotFound error = &codeError{"not found", "SCRATCHPAD_NOT_FOUND_ERROR"}
	ErrClosed   error = &codeError{"closed", "SCRATCHPAD_CLOSED_ERROR"}
	ErrPersist  error = &codeError{"persistence", "SCRATCHPAD_PERSISTENCE_ERROR"}
)

// persist wraps an error in ErrPersist, if it is not yet.
func persist(err error) error {
	if errors.Is(err, ErrPersist) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrPersist, err)
}
