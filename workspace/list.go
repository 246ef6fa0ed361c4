package workspace

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ListOptions of [Workspace.ListFiles] and [Workspace.ListLogs]. The zero value lists
// the first page of all.
type ListOptions struct {
	Prefix string // how the paths begin: plain text, case-sensitive, without wildcards; may end in a slash
	After  string // the Next of the last page; "": the first page
	Limit  int    // 1-200; 0: 200
}

const pagePaths = 200

// FileInfo is a file in a list.
type FileInfo struct {
	Path     string
	Version  int64
	Bytes    int64 // of the current version
	Versions int64 // how many are retained
	Kept     int64 // bytes of all retained versions
	Created  time.Time
	Updated  time.Time
}

// FileList is a page of files in byte order of path.
type FileList struct {
	Files []FileInfo
	More  bool
	Next  string // opaque; for After, where there is more
}

// ListFiles returns a page of the files below a prefix.
func (w *Workspace) ListFiles(ctx context.Context, o ListOptions) (FileList, error) {
	page, err := w.listPage(ctx, "list files", KindFile, o)
	list := FileList{Files: make([]FileInfo, len(page.Files)), More: page.More}
	for i, f := range page.Files {
		list.Files[i] = fileInfo(f.FileHead)
	}
	if page.More {
		list.Next = page.Files[len(page.Files)-1].Path
	}
	return list, err
}

// LogInfo is a log in a list.
type LogInfo struct {
	Path    string
	Entries int64
	Bytes   int64
	Last    int64 // number of the newest entry
	Created time.Time
	Updated time.Time
}

// LogList is a page of logs in byte order of path.
type LogList struct {
	Logs []LogInfo
	More bool
	Next string // opaque; for After, where there is more
}

// ListLogs returns a page of the logs below a prefix.
func (w *Workspace) ListLogs(ctx context.Context, o ListOptions) (LogList, error) {
	page, err := w.listPage(ctx, "list logs", KindLog, o)
	list := LogList{Logs: make([]LogInfo, len(page.Logs)), More: page.More}
	for i, h := range page.Logs {
		list.Logs[i] = LogInfo{Path: h.Path, Entries: h.Entries(), Bytes: h.Bytes, Last: h.Last, Created: h.Created,
			Updated: h.Updated}
		if page.More {
			list.Next = h.Path
		}
	}
	return list, err
}

// listPage returns a page of heads.
func (w *Workspace) listPage(
	ctx context.Context, op string, kind PathKind, o ListOptions,
) (page store.Scanned, err error) {
	limit, err := o.check(ctx, w.paths, op)
	if err != nil {
		return page, err
	}
	err = w.viewCounted(ctx, func(tx store.Reader) (err error) {
		page, err = tx.Scan(store.ScanQuery{Kind: kind, Prefix: o.Prefix, After: o.After, Limit: limit})
		return err
	})
	if err != nil {
		return store.Scanned{}, within(op, o.Prefix, err)
	}
	return page, nil
}

// check also makes the prefix what paths begin with. A page may end at a path that only
// another rule allows.
func (o *ListOptions) check(ctx context.Context, paths PathRule, op string) (limit int, err error) {
	if err := checkContext(ctx, op, o.Prefix); err != nil {
		return 0, err
	}
	if o.Prefix, err = paths.clean(ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return 0, err
	}
	if o.After != "" {
		if _, cause := names.Unicode.Path(o.After); cause != "" {
			return 0, fail(ErrInvalid, op, o.Prefix, "%s is not the next of a page before", ArgAfter)
		}
	}
	if o.Limit < 0 || o.Limit > pagePaths {
		return 0, fail(ErrInvalid, op, o.Prefix, "%s is %d, allowed are 1-%d", ArgLimit, o.Limit, pagePaths)
	}
	if o.Limit == 0 {
		return pagePaths, nil
	}
	return o.Limit, nil
}

func fileInfo(h FileHead) FileInfo {
	return FileInfo{Path: h.Path, Version: h.Version, Bytes: h.Size(), Versions: int64(len(h.Sizes)), Kept: h.Kept(),
		Created: h.Created, Updated: h.Updated}
}
