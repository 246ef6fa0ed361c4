//go:build !unix

package torture

import (
	"errors"
	"os"
	"os/exec"
)

// canStop says that processes can be stopped and continued.
const canStop = false

func ownGroup(*exec.Cmd) {}

func stopProcess(*os.Process) error     { return errors.ErrUnsupported }
func continueProcess(*os.Process) error { return errors.ErrUnsupported }

// clock returns 0: there is no clock that all processes share.
func clock() int64 { return 0 }
