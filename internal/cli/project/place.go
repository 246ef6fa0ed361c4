package project

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Place is a folder of this machine, with the repository that it is in.
type Place struct {
	Folder string  // absolute, without links
	Passed []error // why folders named .git were passed over

	home string
	repo *repository.Repository // nil: none
}

// At returns the place of a folder. Errors: [workspace.ErrInvalid].
func At(folder string) (p Place, err error) {
	if p.Folder, err = filepath.Abs(folder); err == nil {
		p.Folder, err = filepath.EvalSymlinks(p.Folder)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(p.Folder); err == nil && !info.IsDir() {
			err = errors.New("not a folder")
		}
	}
	if err != nil {
		return p, workspace.Errorf(workspace.ErrInvalid, "the folder %s: %v; use one that is there, or give --agent",
			folder, cmp.Or(errors.Unwrap(err), err)) // without the operation and the path
	}
	if home, err := os.UserHomeDir(); err == nil {
		if p.home, err = filepath.EvalSymlinks(home); err != nil {
			p.home = ""
		}
	}
	p.repo, p.Passed = repository.Find(p.Folder, p.home)
	return p, nil
}

// InRepository reports whether the place is in a repository.
func (p Place) InRepository() bool { return p.repo != nil }

// Top returns the top folder of the repository, or the folder itself if there is none.
func (p Place) Top() string {
	if p.repo != nil {
		return p.repo.Top
	}
	return p.Folder
}

// Doubt returns what a version in the memory for everything is from, for [workspace.Workspace.From],
// if the place has that memory only because a .git was passed over; else "". No agent has this name.
func (p Place) Doubt() string {
	if p.repo != nil || len(p.Passed) == 0 {
		return ""
	}
	return "folder " + nameOf(p.Folder)
}

// keys returns what the repository is known by, the hash of its id or else of the path of its
// common directory, and digits for a name. Nobody can tell the id from them.
func keys(id, common string) (key, digits string) {
	if id != "" {
		return hash("id:" + id), id[:mostDigits]
	}
	key = hash("path:" + common)
	return key, key[:mostDigits]
}

// show returns a path for a sentence that a model reads. A path below home begins with a
// tilde. One that is long, or could be a sentence itself, is in quotes and cut at 60 characters.
// Package brief breaks the tags in it.
func show(path, home string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_.-~:\\"
	const most = 60
	if len(home) > 1 && repository.Contains(home, path) {
		path = "~" + path[len(home):]
	}
	runes := []rune(path)
	if len(runes) <= most && strings.Trim(path, plain) == "" {
		return path
	}
	runes = runes[:min(len(runes), most)]
	for utf8.RuneCountInString(strconv.Quote(string(runes))) > most+len(`""`) { // what cannot be seen is escaped
		runes = runes[:len(runes)-1]
	}
	return strconv.Quote(string(runes))
}
