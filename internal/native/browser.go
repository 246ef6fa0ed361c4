package native

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// ErrNoScreen says that there is nothing to show a browser on.
var ErrNoScreen = errors.New("there is no screen")

// OpenBrowser shows an address in the user's browser. It does not wait for the browser,
// which goes on when this program ends. It starts no browser in a terminal. Errors:
// [ErrNoScreen], and those of a program that cannot be started.
func OpenBrowser(address string) error {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", address)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return ErrNoScreen
	default:
		cmd = exec.Command("xdg-open", address)
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // how it ends is nobody's concern
	return nil
}
