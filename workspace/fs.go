package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/filetree"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// FS returns the agent's current files as a read-only [fs.FS] that also has ReadFile,
// ReadDir and Stat. The slashes in paths make the folders. If a path is both a file and
// a folder, it shows the folder. Files have mode 0444, folders have mode 0555 and no
// time. All paths that are stored are shown; a file opens only if its path is one by
// Options.Paths. Each call sees the files as they are at that moment. The context holds
// for the whole life of the result.
//
// Errors are [*fs.PathError]. For a file that does not exist, they wrap
// [fs.ErrNotExist].
func (w *Workspace) FS(ctx context.Context) fs.FS { return filetree.New(fileSource{ctx, w}) }

// fileSource has the files of a workspace.
type fileSource struct {
	ctx context.Context
	w   *Workspace
}

func (s fileSource) Stat(path string) (filetree.Info, error) {
	if clean, cause := names.Unicode.Path(path); cause != "" || clean != path {
		return filetree.Info{}, fs.ErrNotExist
	}
	var head FileHead
	err := s.w.viewCounted(s.ctx, func(tx Reader) (err error) {
		head, _, err = tx.File(path)
		return err
	})
	if err == nil && !head.Exists() {
		return filetree.Info{}, fs.ErrNotExist
	}
	return headInfo(head), within("look at", path, err)
}

func (s fileSource) Read(path string) (filetree.Info, []byte, error) {
	r, err := s.w.ReadFile(s.ctx, path, ReadOptions{})
	if errors.Is(err, ErrNotFound) {
		err = fs.ErrNotExist
	}
	return filetree.Info{Path: r.Path, Size: r.Bytes, Time: r.Time}, r.Content, err
}

func (s fileSource) Below(prefix string, fn func(filetree.Info)) error {
	folder := cmp.Or(strings.TrimSuffix(prefix, "/"), ".")
	if err := checkContext(s.ctx, "list", folder); err != nil {
		return err
	}
	if clean, cause := names.Unicode.Prefix(prefix); cause != "" || clean != prefix {
		return nil
	}
	var heads []FileHead
	err := s.w.viewCounted(s.ctx, func(tx Reader) error {
		heads = nil
		for more := true; more; {
			after := ""
			if n := len(heads); n > 0 {
				after = heads[n-1].Path
			}
			page, err := tx.Files(prefix, after, pagePaths)
			if err != nil {
				return err
			}
			heads = append(heads, page...)
			more = len(page) == pagePaths
		}
		return nil
	})
	for _, h := range heads {
		fn(headInfo(h))
	}
	return within("list", folder, err)
}

func headInfo(h FileHead) filetree.Info {
	return filetree.Info{Path: h.Path, Size: h.Size(), Time: h.Updated}
}
