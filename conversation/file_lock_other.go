//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package conversation

import (
	"errors"
	"os"
)

// Two writers would destroy the journal: better none.
func lockFile(*os.File) error { return errors.ErrUnsupported }

func unlockFile(*os.File) error { return nil }
