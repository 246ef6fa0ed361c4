package native

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// Program returns where this program is. If it was called by a link on the PATH,
// that is the link, which will lead to the next version too.
func Program(called string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	for _, name := range []string{"scratchpad", called} {
		found, err := exec.LookPath(name)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			continue
		}
		if found, err = filepath.Abs(found); err != nil {
			continue
		}
		if other, err := os.Stat(found); err == nil && os.SameFile(info, other) {
			return found, nil
		}
	}
	return self, nil
}

// goBuild matches the folders where go run puts programs: a temporary one, and the
// cache.
var goBuild = regexp.MustCompile(`[/\\](go-build[0-9]*|[0-9a-f]{64}-d)[/\\]`)

// IsTemporary reports whether go run made the program.
func IsTemporary(program string) bool { return goBuild.MatchString(program) }
