package testkit

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// folderVariables name folders of the user other than HOME.
var folderVariables = []string{
	"APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
}

// RunSealed runs the tests of a package with an empty HOME and without the variables that
// name other folders of the user. It returns the exit code of the tests, and 1 if a test has
// left anything in HOME. The caches of Go stay where they are, and what the go command
// counts about itself is not a test's.
func RunSealed(run func() int) (code int) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	keepGoCaches()
	os.Setenv("HOME", home)
	os.Setenv("USERPROFILE", home)
	for _, variable := range folderVariables {
		os.Unsetenv(variable)
	}
	code = run()
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		path = strings.TrimPrefix(path, home)
		switch {
		case err != nil || path == "" || path == filepath.FromSlash("/.config"):
		case path == filepath.FromSlash("/.config/go"):
			return fs.SkipDir
		default:
			fmt.Fprintf(os.Stderr, "a test has left ~%s\n", path)
			code = 1
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// keepGoCaches names the caches of Go, for the tests that compile something.
func keepGoCaches() {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return // nothing compiles without Go
	}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		os.Setenv(names[i], value)
	}
}
