package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// neighbour is another process that has the database open.
type neighbour struct {
	pid     int
	command string
	stale   bool // what it has open was deleted or replaced since
}

// neighbours looks through /proc for the other processes that have the database
// open, and counts those that this user may not look into.
func neighbours(path string) (found []neighbour, hidden int, err error) {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path)) // as /proc names it
	}
	var files []os.FileInfo
	for _, name := range sqlite.Files(path) {
		if info, err := os.Stat(name); err == nil {
			files = append(files, info)
		}
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, 0, err
	}
	for _, dir := range processes {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		open, stale, err := hasOpen(dir, path, files)
		if errors.Is(err, fs.ErrPermission) {
			hidden++
		}
		if open || stale {
			found = append(found, neighbour{pid, commandOf(dir), !open})
		}
	}
	slices.SortFunc(found, func(a, b neighbour) int { return a.pid - b.pid })
	return found, hidden, nil
}

// hasOpen compares by device and inode. A process that ends meanwhile has
// nothing open.
func hasOpen(process, path string, files []os.FileInfo) (open, stale bool, err error) {
	fds, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false, false, err
	}
	for _, fd := range fds {
		name := filepath.Join(process, "fd", fd.Name())
		if info, err := os.Stat(name); err == nil {
			open = open || slices.ContainsFunc(files, func(f os.FileInfo) bool { return os.SameFile(info, f) })
		}
		if target, err := os.Readlink(name); err == nil && target == path+" (deleted)" {
			stale = true
		}
	}
	return open && !stale, stale, nil
}

// commandOf is a process's command line, cut to a line of the report.
func commandOf(process string) string {
	const most = 100
	b, err := os.ReadFile(filepath.Join(process, "cmdline"))
	if err != nil || len(b) == 0 {
		return "its command is not visible"
	}
	line := strings.TrimRight(strings.ReplaceAll(string(b), "\x00", " "), " ")
	if r := []rune(line); len(r) > most {
		line = string(r[:most]) + "…"
	}
	return oneLine(line)
}
