package workspace

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A FileQuery selects a version of a file by the file's path or its time of creation.
type FileQuery struct {
	Path    string    // "": selects the file that was created at Created
	Created time.Time // with a Path, the file's time of creation must equal Created; zero: any time
	Version int64     // may be one of a deleted file that can be restored; 0: the current version
	Content bool      // returns the content of the version too
	Count   bool      // counts the call as an operation of the agent
}

// A FileView is a version of a file. All of it comes from one snapshot.
type FileView struct {
	// File is the file that the version belongs to. If that one was deleted, File has Deleted set,
	// also if another file is at the path by now.
	File    store.FileHead
	Version store.Version // without Content, unless FileQuery.Content was set
}

// A VersionsQuery selects retained versions of all files of an agent, the newest first.
// The zero value selects the first page of all.
type VersionsQuery struct {
	Created     time.Time   // the file's time of creation; zero: all files
	Key         string      // the id of the author's API key; "": any
	Op          VersionOp   // "": any
	From, Until time.Time   // the first and the last time of the versions; zero: no bound
	After       *VersionRef // the last version of the page before; nil: from the newest
	Limit       int         // versions at most, 1-100; 0: 100
}

// A VersionRef is the place of a version in the order of a [VersionsPage]: by Time, then by
// Created, then by Number, each in descending order.
type VersionRef struct {
	Time    time.Time // of the version
	Created time.Time // of its file
	Number  int64     // of the version
}

// A VersionOp says whether a version created its file or changed it.
type VersionOp string

// The operations of a [FileVersion].
const (
	VersionCreated  VersionOp = "created"
	VersionModified VersionOp = "modified"
)

// A FileVersion is a version without content, and its file as in a [FileView].
type FileVersion struct {
	File    store.FileHead
	Version store.Version
	Op      VersionOp
}

// A VersionsPage is a page of versions, the newest first. All of it comes from one snapshot.
type VersionsPage struct {
	Versions []FileVersion
	More     bool // there are versions after the page
}

const maxVersionsPage = 100

// viewVersion returns a version of a file. A file whose path is known takes one round trip.
// Errors: [ErrNotFound], and [ErrConflict] if several files were created at the
// time of the query.
func viewVersion(r store.Reader, q FileQuery, now time.Time) (v FileView, err error) {
	if q.Path == "" {
		if q.Path, err = findCreated(r, q, now); err != nil {
			return FileView{}, err
		}
	}
	load := store.Query{File: q.Path, History: !q.Content}
	if q.Content {
		load.Current, load.Version = q.Version == 0, q.Version
	}
	l, err := r.Load(load)
	if err != nil {
		return FileView{}, err
	}
	if v.File = asOf(l.File, q.Version); !selectsFile(q, l.File, now) {
		return FileView{}, errNoFile
	}
	n := q.Version
	if n == 0 {
		n = v.File.Version
	}
	if v.Version = l.Version; q.Content {
		err = v.Version.Verify()
	} else {
		v.Version, err = describedVersion(l, n)
	}
	if err != nil {
		return FileView{}, err
	}
	return v, fault.Kept(v.File, v.Version, n)
}

// describedVersion returns a version without content, the zero Version if it is not retained.
func describedVersion(l store.Loaded, n int64) (Version, error) {
	for _, v := range l.Versions {
		if v.Number == n {
			return v, nil
		}
	}
	if l.File.Has(n) {
		return Version{}, Errorf(ErrCorrupt, "version %d is missing", n)
	}
	return Version{}, nil
}

// asOf returns the head of the file that a version of a path belongs to; 0: the current version.
func asOf(h FileHead, version int64) FileHead {
	if created := h.CreatedOf(version); version != 0 && !created.Equal(h.Created) {
		h.Created, h.Deleted = created, true
	}
	return h
}

// selectsFile reports whether a query can be for a path.
func selectsFile(q FileQuery, h FileHead, now time.Time) bool {
	if q.Version == 0 {
		return h.Exists() && (q.Created.IsZero() || h.Created.Equal(q.Created))
	}
	return readable(h, now) && (q.Created.IsZero() || h.CreatedOf(q.Version).Equal(q.Created))
}

// allFiles returns the heads of the files that exist, and then those of the deleted ones that can
// be restored.
func allFiles(r store.Reader, now time.Time) iter.Seq2[FileHead, error] {
	return func(yield func(FileHead, error) bool) {
		for h, err := range store.Files(r, "") {
			if !yield(h, err) || err != nil {
				return
			}
		}
		page, err := deletedPage(r, ListOptions{Limit: maxRestorable}, now)
		if err != nil {
			yield(FileHead{}, err)
		}
		for _, f := range page.Files {
			if !yield(f.FileHead, nil) {
				return
			}
		}
	}
}

// findCreated returns the path of the file that was created at the time of the query, and that has
// its version. Errors: [ErrNotFound], and [ErrConflict] if there are several such files.
func findCreated(r store.Reader, q FileQuery, now time.Time) (path string, err error) {
	files := store.Files(r, "")
	if q.Version != 0 { // only versions of deleted files are selected
		files = allFiles(r, now)
	}
	for h, err := range files {
		switch {
		case err != nil:
			return "", err
		case !selectsFile(q, h, now), q.Version != 0 && !h.Has(q.Version):
		case path != "":
			return "", Errorf(ErrConflict, "several files were created at this moment; name the file by its path")
		default:
			path = h.Path
		}
	}
	if path == "" {
		return "", errNoFile
	}
	return path, nil
}

// listVersions returns a page of versions. It reads the heads of all files, and then the versions
// of as many files as it takes to be sure of the page, the last written or deleted first.
func listVersions(r store.Reader, q VersionsQuery, now time.Time) (page VersionsPage, err error) {
	if err := setLimit(&q.Limit, maxVersionsPage, maxVersionsPage); err != nil {
		return page, err
	}
	var heads []FileHead
	for h, err := range allFiles(r, now) {
		if err != nil {
			return page, err
		}
		if of := func(run store.Run) bool { return run.Created.Equal(q.Created) }; q.Created.IsZero() ||
			h.Created.Equal(q.Created) || slices.ContainsFunc(h.Runs, of) {
			heads = append(heads, h)
		}
	}
	slices.SortStableFunc(heads, func(a, b FileHead) int { return b.Updated.Compare(a.Updated) })
	var newest []FileVersion // that the query selects, one more than the page has at most
	for _, h := range heads {
		if !q.From.IsZero() && h.Updated.Before(q.From) || len(newest) > q.Limit &&
			h.Updated.Before(newest[q.Limit].Version.Time) {
			break // no version of this file, or of those after it, is new enough
		}
		first := h.Created
		for _, run := range h.Runs {
			first = slices.MinFunc([]time.Time{first, run.Created}, time.Time.Compare)
		}
		if !q.Until.IsZero() && first.After(q.Until) || q.After != nil && first.After(q.After.Time) {
			continue // no version of this file is old enough
		}
		l, err := r.Load(store.Query{File: h.Path, History: true})
		if err != nil {
			return page, err
		}
		for _, v := range l.Versions {
			if v := (FileVersion{File: asOf(h, v.Number), Version: v, Op: opOf(h, v, l.Versions)}); selects(q, v) {
				newest = append(newest, v)
			}
		}
		slices.SortStableFunc(newest, func(a, b FileVersion) int { return compareRefs(versionRef(a), versionRef(b)) })
		newest = newest[:min(len(newest), q.Limit+1)]
	}
	page.More = len(newest) > q.Limit
	page.Versions = newest[:min(len(newest), q.Limit)]
	return page, nil
}

// opOf says whether a version has made its file. Its time is then that of the file, and it is
// the first one of that file.
func opOf(h FileHead, v Version, all []Version) VersionOp {
	created := h.CreatedOf(v.Number)
	first := slices.IndexFunc(all, func(v Version) bool { return h.CreatedOf(v.Number).Equal(created) })
	if v.Time.Equal(created) && v.Number == all[first].Number {
		return VersionCreated
	}
	return VersionModified
}

// selects reports whether a query selects a version.
func selects(q VersionsQuery, v FileVersion) bool {
	ref := versionRef(v)
	return (q.Created.IsZero() || v.File.Created.Equal(q.Created)) &&
		(q.Key == "" || v.Version.Author.Key == q.Key) &&
		(q.Op == "" || v.Op == q.Op) &&
		(q.From.IsZero() || !ref.Time.Before(q.From)) &&
		(q.Until.IsZero() || !ref.Time.After(q.Until)) &&
		(q.After == nil || compareRefs(*q.After, ref) < 0)
}

func versionRef(v FileVersion) VersionRef {
	return VersionRef{Time: v.Version.Time, Created: v.File.Created, Number: v.Version.Number}
}

// compareRefs compares two versions by their place in a list.
func compareRefs(a, b VersionRef) int {
	return cmp.Or(b.Time.Compare(a.Time), b.Created.Compare(a.Created), cmp.Compare(b.Number, a.Number))
}
