package store

import (
	"context"
	"iter"
)

// A ScanQuery says what [Reader.Scan] lists: the files or logs whose paths begin with Prefix,
// from the first path after After.
type ScanQuery struct {
	Kind   PathKind // KindFile or KindLog
	Prefix string
	After  string
	Limit  int // paths at most; above 0

	// Authors loads the author of each file's current version. If that version is missing or
	// damaged, the author is empty.
	Authors bool

	// Contents loads the current versions with their contents. The list then ends before the
	// contents would exceed MaxBytes. The sizes are those in the heads. The list still has at
	// least one file, if there is any.
	Contents bool
	MaxBytes int64

	// Deleted lists the deleted files that retain versions in place of the files that exist, in
	// order of Expires and then of path. Prefix and After are not used, nor are Authors and
	// Contents. More is false, if there are not more than Limit.
	Deleted bool

	// Versions lists each retained version in place of the files, those of deleted files too. Each
	// is a File, with the head of its path, whose Current is that version with its content. The
	// versions are in descending byte order of path, and then of number. The list begins after
	// version Before of path After, and at the last path if After is "". Limit counts versions.
	// MaxBytes is as for Contents. Authors and Contents are not used.
	Versions bool
	Before   int64
}

// Scanned is a page of a list.
type Scanned struct {
	Files []File
	Logs  []LogHead
	More  bool // whether there are paths after the page
}

// Cut removes the files or logs beyond the limit of a query. If it removes any, it sets More.
// A store calls Cut if it reads one row more than the limit.
func (s *Scanned) Cut(limit int) {
	if len(s.Files) > limit {
		s.Files, s.More = s.Files[:limit], true
	}
	if len(s.Logs) > limit {
		s.Logs, s.More = s.Logs[:limit], true
	}
}

// EveryOwner returns the owners that have a row of any kind, in byte order of String. It ends after
// an error.
func EveryOwner(ctx context.Context, s Store) iter.Seq2[Owner, error] {
	return func(yield func(Owner, error) bool) {
		for q := (OwnersQuery{Which: AllOwners, Limit: 1000}); ; {
			list, err := s.Owners(ctx, q)
			if err != nil {
				yield(Owner{}, err)
				return
			}
			for _, o := range list.Owners {
				if !yield(o.Owner, nil) {
					return
				}
				q.After = &o
			}
			if len(list.Owners) < q.Limit {
				return
			}
		}
	}
}

// headsAtOnce is how many heads of files [Files] reads at once.
const headsAtOnce = 1000

// Files returns the heads of all files whose paths begin with prefix, in byte order of path.
// The loop may write to a file that it has received. Files ends after an error.
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

// Pages returns the page that q selects, and then all pages after it. Pages ends after an error.
func Pages(r Reader, q ScanQuery) iter.Seq2[Scanned, error] {
	return func(yield func(Scanned, error) bool) {
		for more := true; more; {
			page, err := r.Scan(q)
			if !yield(page, err) || err != nil {
				return
			}
			if n := len(page.Files); n > 0 {
				q.After, q.Before = page.Files[n-1].Path, page.Files[n-1].Current.Number
			}
			if n := len(page.Logs); n > 0 {
				q.After = page.Logs[n-1].Path
			}
			more = page.More
		}
	}
}
