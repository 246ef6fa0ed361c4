package native

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Openers returns the other processes that have one of the files open, in order of
// their IDs. A process is Stale if its file had the first of the names and was deleted
// or replaced. hidden is how many processes this user may not look into. The order of
// the names after the first one has no meaning, and a file need not exist.
func Openers(files ...string) (found []Process, hidden int, err error) {
	var infos []os.FileInfo
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			infos = append(infos, info)
		}
	}
	deleted := withoutLinks(files[0]) + " (deleted)" // as /proc shows it
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, 0, err
	}
	for _, dir := range processes {
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || id == os.Getpid() {
			continue
		}
		open, stale, err := hasOpen(dir, infos, deleted)
		if errors.Is(err, fs.ErrPermission) {
			hidden++
		}
		if open || stale {
			found = append(found, Process{ID: id, Command: commandOf(dir), Stale: !open})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	return found, hidden, nil
}

func withoutLinks(name string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		return filepath.Join(dir, filepath.Base(name))
	}
	return name
}

// hasOpen compares by device and inode. A process that ends meanwhile has nothing open.
func hasOpen(process string, files []os.FileInfo, deleted string) (open, stale bool, err error) {
	fds, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false, false, err
	}
	for _, fd := range fds {
		name := filepath.Join(process, "fd", fd.Name())
		if info, err := os.Stat(name); err == nil {
			open = open || slices.ContainsFunc(files, func(f os.FileInfo) bool { return os.SameFile(info, f) })
		}
		if target, err := os.Readlink(name); err == nil && target == deleted {
			stale = true
		}
	}
	return open && !stale, stale, nil
}

// commandOf returns the command line of a process.
func commandOf(process string) string {
	const most = 100
	b, err := os.ReadFile(filepath.Join(process, "cmdline"))
	if err != nil {
		return ""
	}
	line := strings.TrimRight(strings.ReplaceAll(string(b), "\x00", " "), " ")
	if r := []rune(line); len(r) > most {
		line = string(r[:most]) + "…"
	}
	return line
}
