package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// lowDisk is how much room the write-ahead log may need, in bytes.
const lowDisk = 64 << 20

func (r *checkup) disk() {
	free, err := native.FreeBytes(existingFolder(r.Database))
	switch {
	case err != nil:
		r.ok("disk", "the free space is not known"+r.cause(err))
	case free < lowDisk:
		r.warn("disk", phrase.Bytes(free)+" free",
			"Make room. On a full disk nothing can be stored, but everything can still be read.")
	default:
		r.ok("disk", phrase.Bytes(free)+" free")
	}
}

// existingFolder returns the nearest folder above a path that exists.
func existingFolder(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// folder checks the database's folder, and reports whether it exists.
func (r *checkup) folder() bool {
	dir := filepath.Dir(r.Database)
	info, err := os.Stat(dir)
	if err != nil {
		return false // the check of the database says so
	}
	mode := info.Mode()
	own := r.o.IsDefault
	switch {
	case !native.MayWrite(dir):
		r.fail("folder", fmt.Sprintf("this user may not write in %s, so nothing can be stored",
			r.name(dir, "the folder of the database")),
			"Give the folder to the user that runs the agents, or name another place with --db.")
	case runtime.GOOS == "windows":
		r.ok("folder", "access rights are not checked on this system")
	case own && mode.Perm()&0o077 != 0:
		r.warn("folder", fmt.Sprintf("other users can open it (mode %04o)", mode.Perm()), r.run("chmod 700", dir))
	case mode.Perm()&0o022 != 0:
		r.warn("folder", fmt.Sprintf("other users can put files beside the database (mode %04o)",
			mode.Perm()), "Move the database to a folder of its own, with mode 0700.")
	default:
		r.ok("folder", fmt.Sprintf("mode %04o", mode.Perm()))
	}
	return true
}

// files checks the database's files, and reports whether the database exists.
func (r *checkup) files() bool {
	info, err := os.Lstat(r.Database)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	sizes := []string{"database " + phrase.Bytes(info.Size())}
	for _, name := range sqlite.Files(r.Database)[1:] {
		if info, err := os.Lstat(name); err == nil {
			sizes = append(sizes, strings.TrimPrefix(name, r.Database+"-")+" "+phrase.Bytes(info.Size()))
		}
	}
	r.ok("size", strings.Join(sizes, ", "))
	if !native.MayWrite(r.Database) {
		r.fail("rights", "this user may not write it, so nothing can be stored",
			"Run as the owner of the file, or give it to this user with chown.")
	}
	if err := sqlite.CheckFiles(r.Database); err != nil {
		r.fail("side files", r.sideText(err), "Nothing can be stored until this is mended.")
	}
	r.log()
	return true
}

// modes warns if other users can read the database. It is called only for a database
// of this program.
func (r *checkup) modes() {
	if runtime.GOOS == "windows" {
		return
	}
	var wide []string
	for _, name := range sqlite.Files(r.Database) {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			wide = append(wide, name)
		}
	}
	if len(wide) > 0 {
		r.warn("permissions", "other users can read what agents have stored", r.run("chmod 600", wide...))
		return
	}
	r.ok("permissions", "no other user can read it")
}

// log warns of a write-ahead log that has grown too long.
func (r *checkup) log() {
	info, err := os.Lstat(r.Database + "-wal")
	if err == nil && info.Size() > 2*lowDisk {
		r.warn("log", fmt.Sprintf("the write-ahead log has grown to %s, because a process has been "+
			"reading for a long time", phrase.Bytes(info.Size())),
			"Stop the processes that have the database open, one after the other. No data is lost.")
	}
}

// name returns a path, or the words for it in place of one that must not be seen.
func (r *checkup) name(path, instead string) string {
	if r.open {
		return instead
	}
	return path
}

// cause ends a line with an error that may name a path.
func (r *checkup) cause(err error) string {
	if r.open {
		return ""
	}
	return ": " + err.Error()
}

func (r *checkup) sideText(err error) string {
	if r.open {
		return "something else has the name of a file beside the database"
	}
	return r.o.Text(err)
}
