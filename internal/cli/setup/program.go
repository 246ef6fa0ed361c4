package setup

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

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
	have, err := sumOf(p.Path)
	if err != nil {
		return p, err
	}
	if want, err := sumOf(p.source); err != nil || have == want {
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
	folders := programFolders()
	if len(folders) == 0 {
		return "", errors.New("there is no home folder for the program; name a folder with --bin")
	}
	for _, dir := range folders {
		if isOnPath(dir) {
			return filepath.Join(dir, programName()), nil
		}
	}
	return filepath.Join(folders[0], programName()), nil
}

// programFolders are the folders for programs of this user, the best first.
func programFolders() (all []string) {
	home, _ := os.UserHomeDir() // "" makes a folder relative
	local := filepath.Join(home, ".local", "bin")
	if runtime.GOOS == "windows" {
		local = filepath.Join(os.Getenv("LOCALAPPDATA"), "Programs", "scratchpad")
	}
	goPath := filepath.Join(home, "go")
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 {
		goPath = list[0]
	}
	for _, dir := range []string{local, os.Getenv("GOBIN"), filepath.Join(goPath, "bin")} {
		if filepath.IsAbs(dir) {
			all = append(all, dir)
		}
	}
	return all
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
	done := &programDone{Path: p.Path, Existed: p.Action == Replace}
	if old := j.Program; old != nil && old.Path == p.Path {
		if sum, err := sumOf(p.Path); err == nil && sum == old.Sum {
			done.Existed, done.Backup = old.Existed, old.Backup // what is there now is setup's own
		}
	}
	var err error
	if done.Sum, err = sumOf(p.source); err != nil {
		return err
	}
	j.addFolders(missing(p.Path))
	if err := save(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
		return err
	}
	temp, err := p.copyBeside()
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	backup := ""
	if done.Existed && done.Backup == "" {
		backup = p.Path + ".bak-" + time.Now().Format("20060102T150405.000")
		done.Backup = backup
	}
	before := j.Program
	j.Program = done
	if err := save(); err != nil {
		return err
	}
	if err := p.swap(temp, backup); err != nil {
		j.Program = before
		return errors.Join(err, save())
	}
	return nil
}

// copyBeside copies the program into the folder where it will be.
func (p Program) copyBeside() (name string, err error) {
	in, err := os.Open(p.source)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(p.Path), ".scratchpad-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(0o755), out.Sync(), out.Close()); err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	return out.Name(), nil
}

// swap gives a file the program's name. The program that was there stays as the backup, if there is one.
// On Windows it goes aside first: a program that runs can only be renamed there.
func (p Program) swap(temp, backup string) error {
	if runtime.GOOS != "windows" && (backup == "" || os.Link(p.Path, backup) == nil) {
		return os.Rename(temp, p.Path)
	}
	aside := cmp.Or(backup, p.Path+".old")
	moved := os.Rename(p.Path, aside)
	if backup == "" {
		defer os.Remove(aside) // fails on Windows while it runs; the next setup puts another in its place
	} else if moved != nil {
		return moved
	}
	if err := os.Rename(temp, p.Path); err != nil {
		return errors.Join(err, os.Rename(aside, p.Path))
	}
	return nil
}

// takeBack removes the program, or puts the one back that was there. In a dry run it says what it would do.
func (d programDone) takeBack(dry bool) (did string, err error) {
	sum, err := sumOf(d.Path)
	switch {
	case dry && d.Existed:
		return "to be put back as it was", nil
	case dry:
		return "to be removed", nil
	case errors.Is(err, fs.ErrNotExist) && !d.Existed:
		return "it is gone already", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case err == nil && sum != d.Sum:
		return "left there, because it is not the program that setup has installed", nil
	case !d.Existed:
		return "removed", os.Remove(d.Path)
	}
	return "put back as it was", os.Rename(d.Backup, d.Path)
}
