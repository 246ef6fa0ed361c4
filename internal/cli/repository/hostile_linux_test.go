package repository

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A .git that is a pipe, or another user's, is passed over.
func TestFindHostile(t *testing.T) {
	at := inFolder(t)
	testkit.Must(t, errors.Join(os.Mkdir(at("pipe"), 0o755), syscall.Mkfifo(at("pipe/.git"), 0o644)))
	newRepository(t, at("head/.git"))
	testkit.Must(t, errors.Join(os.Remove(at("head/.git/HEAD")), syscall.Mkfifo(at("head/.git/HEAD"), 0o644)))
	folders := []string{"pipe", "head"}
	newRepository(t, at("other/.git"))
	if r, _ := Find(at("other"), ""); r == nil {
		t.Error("a repository of this user is none")
	}
	if os.Chown(at("other/.git"), os.Geteuid()+1, -1) == nil {
		folders = append(folders, "other")
	}
	for _, folder := range folders {
		if r, passed := Find(at(folder), at("")); r != nil || len(passed) != 1 {
			t.Errorf("%s: %+v, %v", folder, r, passed)
		}
	}
}
