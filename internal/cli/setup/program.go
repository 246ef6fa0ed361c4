package setup

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// module is that of this program.
const module = "github.com/agent-scratchpad/scratchpad"

// A Program says where clients will find this program.
type Program struct {
	Path   string `json:"path"`
	Action Action `json:"action,omitempty"`
	OnPath bool   `json:"on_path"` // the shell finds it without its folder

	source string // the file that runs now
}

// An Action is what setup does with a program.
type Action string

// The actions.
const (
	Keep    Action = ""        // it is in its place
	Install Action = "install" // there is none yet
	Replace Action = "replace" // with this one, which differs
)

// planProgram returns where the program goes: where it is, if the PATH leads to it; over
// the one that the PATH leads to; or into a folder for programs of the user.
func planProgram(o Options) (p Program, err error) {
	p = Program{source: o.Program}
	switch {
	case o.Bin == "" && isOnPath(filepath.Dir(o.Installed)):
		p.Path = o.Installed
	case o.Bin != "":
		p.Path = filepath.Join(o.Bin, programName())
	default:
		if p.Path, err = choosePath(); err != nil {
			return p, err
		}
	}
	p.OnPath = isOnPath(filepath.Dir(p.Path))
	if sameFile(p.Path, p.source) {
		return p, nil
	}
	info, err := os.Stat(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Action = Install
		return p, nil
	case err != nil:
		return p, err
	case !info.Mode().IsRegular() || !isOurs(p.Path):
		return p, fmt.Errorf("%s is another program; name another folder with --bin", p.Path)
	}
	have, err := os.ReadFile(p.Path)
	if err != nil {
		return p, err
	}
	if want, err := os.ReadFile(p.source); err != nil || bytes.Equal(have, want) {
		return p, err
	}
	p.Action = Replace
	return p, nil
}

// choosePath returns where the program goes if nobody names a folder.
func choosePath() (string, error) {
	if found, err := exec.LookPath("scratchpad"); err == nil && filepath.IsAbs(found) {
		if info, err := os.Lstat(found); err == nil && info.Mode().IsRegular() && isOurs(found) {
			return found, nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w; name a folder for the program with --bin", err)
	}
	local := filepath.Join(home, ".local", "bin")
	if runtime.GOOS == "windows" {
		data := cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		local = filepath.Join(data, "Programs", "scratchpad")
	}
	if other := cmp.Or(os.Getenv("GOBIN"), filepath.Join(home, "go", "bin")); !isOnPath(local) && isOnPath(other) {
		return filepath.Join(other, programName()), nil
	}
	return filepath.Join(local, programName()), nil
}

func programName() string {
	if runtime.GOOS == "windows" {
		return "scratchpad.exe"
	}
	return "scratchpad"
}

func isOnPath(dir string) bool {
	return slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), func(p string) bool {
		return p != "" && (filepath.Clean(p) == filepath.Clean(dir) || sameFile(p, dir))
	})
}

// PathLine returns the command that puts a folder on the PATH of the user's shell for good.
func PathLine(dir, shell, system string) string {
	export := "export PATH=" + native.QuoteSh(dir) + `:"$PATH"`
	toFile := func(name string) string { return "echo " + native.QuoteSh(export) + " >> ~/" + name }
	switch name := path.Base(shell); {
	case system == "windows":
		return "[Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', " +
			"'User') + ';" + strings.ReplaceAll(dir, "'", "''") + "', 'User')"
	case name == "fish":
		return "fish_add_path " + native.QuoteSh(dir)
	case name == "zsh":
		return toFile(".zshrc")
	case name == "bash":
		return toFile(".bashrc")
	}
	return export
}

func sameFile(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// isOurs reports whether a file is a build of this program, or of its tests.
func isOurs(name string) bool {
	info, err := buildinfo.ReadFile(name)
	return err == nil && strings.HasPrefix(info.Path, module+"/cmd/scratchpad")
}

// install puts the program in its place. A program that runs there goes on.
func (p Program) install(j *journal, save func() error) error {
	program, err := os.ReadFile(p.source)
	if err != nil {
		return err
	}
	done := programDone{Path: p.Path, Existed: p.Action == Replace, Sum: sum(program)}
	if old := j.Program; old != nil && old.isThere() && old.Path == p.Path {
		done.Existed = old.Existed
	}
	j.Program = &done
	if err := save(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" && p.Action == Replace { // a program that runs can only be renamed there
		if err := os.Rename(p.Path, p.Path+".old"); err != nil {
			return err
		}
	}
	return clientconfig.Write(p.Path, program, 0o755)
}

// isThere reports whether the program is the one that setup has put in its place.
func (d programDone) isThere() bool {
	have, err := os.ReadFile(d.Path)
	return err == nil && sum(have) == d.Sum
}

// takeBack removes the program. One that has replaced an older one stays, because the older one could not
// read what has been stored since.
func (d programDone) takeBack(dry bool) (did string, err error) {
	if d.Existed || !d.isThere() {
		return "left as it is, because it has replaced an older one, or is no longer what setup has installed", nil
	}
	if dry {
		return "to be removed", nil
	}
	return "removed", os.Remove(d.Path)
}
