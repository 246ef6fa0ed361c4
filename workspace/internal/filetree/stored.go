package filetree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Stored are the current files of an agent in a store. It is a [Source].
type Stored struct {
	Context context.Context
	View    func(ctx context.Context, fn func(store.Reader) error) error // runs a read

	// ReadFile returns a file. The error wraps [store.ErrNotFound] if there is none.
	ReadFile func(ctx context.Context, path string) (Info, []byte, error)
}

func (s Stored) Stat(path string) (Info, error) {
	if clean, cause := names.Unicode.Path(path); cause != "" || clean != path {
		return Info{}, fs.ErrNotExist
	}
	var head store.FileHead
	err := s.View(s.Context, func(r store.Reader) (err error) {
		l, err := r.Load(store.Query{File: path})
		head = l.File
		return err
	})
	if err == nil && !head.Exists() {
		return Info{}, fs.ErrNotExist
	}
	return infoOf(head), fault.Within("look at", path, err)
}

func (s Stored) Read(path string) (Info, []byte, error) {
	info, content, err := s.ReadFile(s.Context, path)
	if errors.Is(err, store.ErrNotFound) {
		err = fs.ErrNotExist
	}
	return info, content, err
}

func (s Stored) Below(prefix string, fn func(Info)) error {
	folder := cmp.Or(strings.TrimSuffix(prefix, "/"), ".")
	if err := fault.CheckContext(s.Context, "list", folder); err != nil {
		return err
	}
	if clean, cause := names.Unicode.Prefix(prefix); cause != "" || clean != prefix {
		return nil
	}
	var heads []store.FileHead
	err := s.View(s.Context, func(r store.Reader) error {
		heads = nil
		for h, err := range store.Files(r, prefix) {
			if err != nil {
				return err
			}
			heads = append(heads, h)
		}
		return nil
	})
	for _, h := range heads {
		fn(infoOf(h))
	}
	return fault.Within("list", folder, err)
}

func infoOf(h store.FileHead) Info {
	return Info{Path: h.Path, Size: h.Size(), Time: h.Updated}
}
