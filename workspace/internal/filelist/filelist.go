// Package filelist lists files with what an operator wants to know of them.
package filelist

import (
	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const maxLimit = 1000

// View returns a page of files. It reads once. Errors: [store.ErrInvalid], and those of the
// reader.
func View(r store.Reader, q inspect.FilesQuery) (inspect.FilesView, error) {
	switch {
	case q.Limit < 0 || q.Limit > maxLimit:
		return inspect.FilesView{}, store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, q.Limit, maxLimit)
	case q.Limit == 0:
		q.Limit = maxLimit
	}
	if q.After != "" {
		if _, cause := names.Unicode.Path(q.After); cause != "" {
			return inspect.FilesView{}, store.Errorf(store.ErrInvalid, "%s is not the next of a page before", store.ArgAfter)
		}
	}
	files, err := r.AuthoredFiles("", q.After, q.Limit+1)
	if err != nil || len(files) <= q.Limit {
		return inspect.FilesView{Files: files}, err
	}
	return inspect.FilesView{Files: files[:q.Limit:q.Limit], Next: files[q.Limit-1].Path, Following: files[q.Limit].Path}, nil
}
