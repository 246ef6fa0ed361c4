package native

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Expand returns the path that a user has given, with the user's home folder in place of a
// tilde that begins it. A shell does this only for a word that begins with the tilde, and
// not in quotes. There is an error if the user has no home folder.
func Expand(path string) (string, error) {
	rest, is := strings.CutPrefix(path, "~")
	if !is || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder for %q: %w", path, err)
	}
	return filepath.Join(home, rest), nil
}

// DataFile returns a path in the user's data folder: that of the XDG Base Directory
// Specification on Unix, Application Support on macOS, LocalAppData on Windows. It
// returns "" if the user has no home folder.
func DataFile(names ...string) string {
	dir, _ := Expand(os.Getenv("XDG_DATA_HOME"))
	home, _ := os.UserHomeDir() // "" makes the folder relative
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows":
		if dir = os.Getenv("LOCALAPPDATA"); dir == "" {
			dir = filepath.Join(home, "AppData", "Local")
		}
	case runtime.GOOS == "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	default:
		dir = filepath.Join(home, ".local", "share")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}
