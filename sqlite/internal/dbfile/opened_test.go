//go:build unix

package dbfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Check notices when one of the open files is not at its path any more. The log may be
// folded unless another database has come to both paths.
func TestOpened(t *testing.T) {
	replace := func(t *testing.T, name string) {
		write(t, name+".new", "other")
		testkit.Must(t, os.Rename(name+".new", name))
	}
	for _, c := range []struct {
		name          string
		do            func(t *testing.T, path string)
		lost, mayFold bool
	}{
		{"Nothing", func(*testing.T, string) {}, false, true},
		{"Written", func(t *testing.T, path string) { write(t, path, "more") }, false, true},
		{"Removed", func(t *testing.T, path string) { testkit.Must(t, os.Remove(path)) }, true, true},
		{"Replaced", replace, true, true},
		{"LogRemoved", func(t *testing.T, path string) { testkit.Must(t, os.Remove(path+Log)) }, true, true},
		{"LogReplaced", func(t *testing.T, path string) { replace(t, path+Log) }, true, true},
		{"BothReplaced", func(t *testing.T, path string) { replace(t, path); replace(t, path+Log) }, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			write(t, path, "db")
			write(t, path+Log, "log")
			id, err := IDOf(path)
			testkit.Must(t, err)
			o, err := NewOpened(path, id)
			testkit.Must(t, err)
			defer o.Close()
			c.do(t, path)
			if _, err := o.Check(); IsLost(err) != c.lost || (err == nil) == c.lost {
				t.Errorf("Check() = %v; a file is lost: %v", err, c.lost)
			}
			if got := o.MayFold(); got != c.mayFold {
				t.Errorf("MayFold() = %v, want %v", got, c.mayFold)
			}
			testkit.Must(t, o.SyncLog())
		})
	}
}

func TestOpenedCountsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	write(t, path, "db")
	write(t, path+Log, "log")
	id, err := IDOf(path)
	testkit.Must(t, err)
	o, err := NewOpened(path, id)
	testkit.Must(t, err)
	defer o.Close()
	for _, name := range []string{path, path + Log} {
		testkit.Must(t, os.Link(name, name+".second"))
		if names, err := o.Check(); err != nil || names != 2 {
			t.Errorf("Check() with a second name of %s = %d, %v, want 2", filepath.Base(name), names, err)
		}
		testkit.Must(t, os.Remove(name+".second"))
	}
}

// A second name is refused, except for the temporary one of a database that was just
// made.
func TestCheckLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	write(t, path, "db")
	testkit.Must(t, CheckLinks(path))
	testkit.Must(t, os.Link(path, path+"-new-12-part"))
	testkit.Must(t, CheckLinks(path))
	testkit.Must(t, os.Link(path, path+".second"))
	if err := CheckLinks(path); err == nil {
		t.Error("a second name is accepted")
	}
	testkit.Must(t, RemovePartNames(path))
	if _, err := os.Stat(path + "-new-12-part"); !os.IsNotExist(err) {
		t.Errorf("the temporary name is still there: %v", err)
	}
	if _, err := os.Stat(path + ".second"); err != nil {
		t.Errorf("the second name is gone: %v", err)
	}
}
