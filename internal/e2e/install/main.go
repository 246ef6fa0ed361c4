// Command install installs the clients of package-lock.json before the tests need them.
//
//	cd internal/e2e && go run ./install
package main

import (
	"fmt"
	"os"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

func main() {
	if err := process.InstallNPM("."); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}
