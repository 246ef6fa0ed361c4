package pad

import (
	"fmt"
	"reflect"
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

// VersionError is a snapshot in a format that this version does not know.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("snapshot of version %d; version %d is known", e.Version, snapshotVersion)
}

// Code returns the code of the npm package.
func (e *VersionError) Code() string { return "SCRATCHPAD_VERSION_ERROR" }

// TypeError is a value of another type than was asked for.
type TypeError struct {
	Key        string
	Have, Want reflect.Type // Have is nil for a nil value; of a value read from JSON it is what Get gives
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("get %q: the value is a %v, not a %v", e.Key, e.Have, e.Want)
}

// Code returns the code of a value of the wrong type.
func (e *TypeError) Code() string { return "SCRATCHPAD_TYPE_ERROR" }
