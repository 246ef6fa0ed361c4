package store

import "iter"

// A ScanQuery says what [Reader.Scan] lists: the paths that begin with a prefix, from the
// first one after a path.
type ScanQuery struct {
	Kind   PathKind // KindFile or KindLog
	Prefix string
	After  string
	Limit  int // above 0

	// Authors loads the author of each file's current version. The author is empty if that
	// version is missing or damaged. Contents loads the current versions with their contents.
	// The list then ends before its contents would exceed MaxBytes, counted by the heads. It
	// has at least one file.
	Authors  bool
	Contents bool
	MaxBytes int64
}

// Scanned is a page of a list.
type Scanned struct {
	Files []File
	Logs  []LogHead
	More  bool // whether there are paths after the page
}

// Cut leaves out what a store has read beyond the limit of a query, and sets More.
func (s *Scanned) Cut(limit int) {
	if len(s.Files) > limit {
		s.Files, s.More = s.Files[:limit], true
	}
	if len(s.Logs) > limit {
		s.Logs, s.More = s.Logs[:limit], true
	}
}

// headsAtOnce is how many heads of files [Files] reads at once.
const headsAtOnce = 1000

// Files returns the heads of all files whose path begins with a prefix, in byte order of
// path. A write to a file that was returned does not change what follows. An error ends
// the files.
func Files(r Reader, prefix string) iter.Seq2[FileHead, error] {
	return func(yield func(FileHead, error) bool) {
		for page, err := range Pages(r, ScanQuery{Kind: KindFile, Prefix: prefix, Limit: headsAtOnce}) {
			if err != nil {
				yield(FileHead{}, err)
				return
			}
			for _, f := range page.Files {
				if !yield(f.FileHead, nil) {
					return
				}
			}
		}
	}
}

// Pages returns the page of a query and all pages after it. An error ends the pages.
func Pages(r Reader, q ScanQuery) iter.Seq2[Scanned, error] {
	return func(yield func(Scanned, error) bool) {
		for more := true; more; {
			page, err := r.Scan(q)
			if !yield(page, err) || err != nil {
				return
			}
			if n := len(page.Files); n > 0 {
				q.After = page.Files[n-1].Path
			}
			if n := len(page.Logs); n > 0 {
				q.After = page.Logs[n-1].Path
			}
			more = page.More
		}
	}
}
