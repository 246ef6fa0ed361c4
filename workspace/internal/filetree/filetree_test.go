package filetree_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/filetree"
)

// files are the contents of files by path.
type files map[string]string

func (f files) Stat(path string) (filetree.Info, error) {
	info, _, err := f.Read(path)
	return info, err
}

func (f files) Read(path string) (filetree.Info, []byte, error) {
	content, ok := f[path]
	if !ok {
		return filetree.Info{}, nil, fs.ErrNotExist
	}
	return filetree.Info{Path: path, Size: int64(len(content))}, []byte(content), nil
}

func (f files) Below(prefix string, fn func(filetree.Info)) error {
	for path, content := range f {
		if strings.HasPrefix(path, prefix) {
			fn(filetree.Info{Path: path, Size: int64(len(content))})
		}
	}
	return nil
}

// A path that is a file and a folder shows the folder, in a list too.
func TestFileAndFolder(t *testing.T) {
	for range 20 { // the files come in any order
		tree := filetree.New(files{"a": "file", "a/b": "below"})
		if _, err := fs.ReadFile(tree, "a"); err == nil {
			t.Fatal("ReadFile reads a folder")
		}
		list, err := fs.ReadDir(tree, ".")
		if err != nil || len(list) != 1 || !list[0].IsDir() {
			t.Fatalf("ReadDir = %v, %v, want the folder a", list, err)
		}
	}
}

// Each error is a PathError with the name that was asked for. A name that is only the
// beginning of another one does not exist.
func TestErrorsNameThePath(t *testing.T) {
	tree := filetree.New(files{"ab/c": ""})
	for name, want := range map[string]error{"a": fs.ErrNotExist, "ab/c/d": fs.ErrNotExist, "../ab": fs.ErrInvalid, "/ab": fs.ErrInvalid} {
		for _, open := range []func() error{
			func() error { _, err := fs.Stat(tree, name); return err },
			func() error { _, err := fs.ReadFile(tree, name); return err },
			func() error { _, err := fs.ReadDir(tree, name); return err },
			func() error { _, err := tree.Open(name); return err },
		} {
			var e *fs.PathError
			if err := open(); !errors.Is(err, want) || !errors.As(err, &e) || e.Path != name {
				t.Errorf("%s: %v, want %v for that path", name, err, want)
			}
		}
	}
	if list, err := fs.Glob(tree, "*"); err != nil || !slices.Equal(list, []string{"ab"}) {
		t.Errorf("Glob = %q, %v", list, err)
	}
}
