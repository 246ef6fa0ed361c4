package host

import (
	"os"
	"path/filepath"
	"runtime"
)

// DataFile returns a path in the user's data folder: that of the XDG Base Directory
// Specification on Unix, Application Support on macOS, LocalAppData on Windows. It
// returns "" if the user has no home folder.
func DataFile(names ...string) string {
	dir := os.Getenv("XDG_DATA_HOME")
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
