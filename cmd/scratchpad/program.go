package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// programPath is where this program is, as it was called: a link on the PATH
// stays where the next version will be.
func programPath(called string) (string, error) {
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

// goBuild has the folders where go run puts programs: one that it removes, and
// the cache.
var goBuild = regexp.MustCompile(`[/\\](go-build[0-9]*|[0-9a-f]{64}-d)[/\\]`)

// isTemporary reports whether go run has made a program.
func isTemporary(program string) bool { return goBuild.MatchString(program) }
