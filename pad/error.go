package pad

import (
	"errors"
	"fmt"
)

// codeError is an error that has a code, as the errors of the npm package do.
type codeError struct{ text, code string }

func (e *codeError) Error() string { return e.text }

// Code returns the code of the npm package.
func (e *codeError) Code() string { return e.code }

// The kinds of error, for errors.Is.
var (
	ErrConfig   error = &codeError{"invalid option", "SCRATCHPAD_CONFIG_ERROR"}
	ErrKey      error = &codeError{"invalid key", "SCRATCHPAD_KEY_ERROR"}
	ErrNotFound error = &codeError{"not found", "SCRATCHPAD_NOT_FOUND_ERROR"}
	ErrClosed   error = &codeError{"closed", "SCRATCHPAD_CLOSED_ERROR"}
	ErrPersist  error = &codeError{"persistence", "SCRATCHPAD_PERSISTENCE_ERROR"}
)

// persist makes sure that an error wraps ErrPersist.
func persist(err error) error {
	if errors.Is(err, ErrPersist) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrPersist, err)
}
