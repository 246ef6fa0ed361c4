package scratchpad

import "fmt"

// codeError is an error that has a code, as the errors of the npm package do.
type codeError struct{ text, code string }

func (e *codeError) Error() string { return e.text }

// Code returns the code of the npm package.
func (e *codeError) Code() string { return e.code }

// ErrPersist is wrapped by what goes wrong in saving and loading.
var ErrPersist error = &codeError{"persistence", "SCRATCHPAD_PERSISTENCE_ERROR"}

// VersionError is a snapshot in a format that this version does not know.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("snapshot of version %d; version %d is known", e.Version, snapshotVersion)
}

// Code returns the code of the npm package.
func (e *VersionError) Code() string { return "SCRATCHPAD_VERSION_ERROR" }
