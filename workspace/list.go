package workspace

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ListOptions of [Workspace.ListFiles] and [Workspace.ListLogs]. The zero value lists
// the first page of all.
type ListOptions struct {
	Prefix string // the beginning of the paths: plain text, case-sensitive, without wildcards; may end in a slash
	After  string // Next of the page before; "": the first page
	Limit  int    // rows at most, 1-1,000; 0: 200

	// For ListFiles alone: list deleted files that can be restored, in place of those that exist; and
	// also return the authors of files that exist.
	Deleted, Authors bool
}

const (
	pagePaths = 200
	mostPaths = 1000 // of a page
)

// FileInfo is a file in a [FileList].
type FileInfo struct {
	Path     string
	Version  int64 // the current version, or the newest of a deleted file that is not redacted
	Bytes    int64 // of that version
	Versions int64 // number of retained versions
	Kept     int64 // bytes of all retained versions
	Created  time.Time
	Updated  time.Time // of the last write or the deletion
	Author   Author    // of the current version, with ListOptions.Authors

	Deleter Author    // who deleted the file; zero: it exists
	Expires time.Time // until when the versions of a deleted file can be restored; zero: it exists
}

// FileList is a page of files in byte order of path.
type FileList struct {
	Files []FileInfo
	More  bool   // there are files after the page
	Next  string // opaque, for ListOptions.After; "" without More
}

// ListFiles returns a page of the files whose paths begin with o.Prefix. The pages are of
// different moments.
func (w *Workspace) ListFiles(ctx context.Context, o ListOptions) (FileList, error) {
	page, err := w.listPage(ctx, "list files", KindFile, o)
	list := FileList{Files: make([]FileInfo, len(page.Files)), More: page.More}
	for i, h := range page.Files {
		list.Files[i] = FileInfo{Path: h.Path, Version: h.Version, Bytes: h.Size(), Versions: int64(len(h.Sizes)),
			Kept: h.Kept(), Created: h.Created, Updated: h.Updated, Author: h.Current.Author, Deleter: h.Deleter,
			Expires: h.Expires}
		if h.Deleted {
			list.Files[i].Version = h.Current.Number
			list.Files[i].Bytes = h.SizeOf(h.Current.Number)
		}
		if page.More {
			list.Next = h.Path
		}
	}
	return list, err
}

// LogList is a page of logs in byte order of path.
type LogList struct {
	Logs []LogHead
	More bool   // there are logs after the page
	Next string // opaque, for ListOptions.After; "" without More
}

// ListLogs returns a page of the logs whose paths begin with o.Prefix. The pages are of
// different moments.
func (w *Workspace) ListLogs(ctx context.Context, o ListOptions) (LogList, error) {
	page, err := w.listPage(ctx, "list logs", KindLog, o)
	list := LogList{Logs: append([]LogHead{}, page.Logs...), More: page.More}
	if page.More {
		list.Next = page.Logs[len(page.Logs)-1].Path
	}
	return list, err
}

// listPage returns a page of heads.
func (w *Workspace) listPage(
	ctx context.Context, op string, kind PathKind, o ListOptions,
) (page store.Scanned, err error) {
	if o.Prefix, err = w.svc.o.Paths.stored(store.ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return page, err
	}
	if err = checkAfter(o.After); err == nil {
		err = setLimit(&o.Limit, mostPaths, pagePaths)
	}
	if err == nil {
		page, err = view(ctx, w, func(r store.Reader) (store.Scanned, error) {
			if o.Deleted {
				return deletedPage(r, o, w.svc.o.Now())
			}
			return r.Scan(store.ScanQuery{Kind: kind, Prefix: o.Prefix, After: o.After, Limit: o.Limit,
				Authors: o.Authors})
		})
	}
	return page, within(op, o.Prefix, w.counted(err))
}

// deletedPage returns a page of the deleted files that can be restored, in byte order of path.
// Current has the number of the version that comes back.
func deletedPage(r store.Reader, o ListOptions, now time.Time) (page store.Scanned, err error) {
	all, err := r.Scan(store.ScanQuery{Kind: KindFile, Deleted: true, Limit: maxRestorable})
	slices.SortFunc(all.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range all.Files {
		if err != nil || len(page.Files) > o.Limit {
			break
		}
		if !strings.HasPrefix(f.Path, o.Prefix) || f.Path <= o.After {
			continue
		}
		if f.Current.Number, err = restorable(r, f.FileHead, now); f.Current.Number > 0 {
			page.Files = append(page.Files, f)
		}
	}
	page.Cut(o.Limit)
	return page, err
}

// checkAfter refuses a cursor that is no path. A page may end at a path that only another rule
// allows.
func checkAfter(path string) error {
	if _, cause := names.Unicode.Path(path); path != "" && cause != "" {
		return Errorf(ErrInvalid, "%s is not the next of a page before", store.ArgAfter)
	}
	return nil
}

// pathsOf returns the paths of a page.
func pathsOf(page store.Scanned) (paths []string) {
	for _, f := range page.Files {
		paths = append(paths, f.Path)
	}
	for _, h := range page.Logs {
		paths = append(paths, h.Path)
	}
	return paths
}
