// Package versionlist finds versions of files: one of a file that is known by when it was
// created, and those of all files in the order in which they were made.
package versionlist

import (
	"slices"
	"sort"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxLimit = 100
	pageSize = 1000 // heads that are read at once
)

var errNoFile = store.Errorf(store.ErrNotFound, "there is no such file")

// View returns a version of a file. A file whose path is known takes one round trip.
// Errors: [store.ErrNotFound], and [store.ErrConflict] if several files were created at the
// time of the query.
func View(r store.Reader, q inspect.FileQuery) (v inspect.FileView, err error) {
	if q.Path == "" {
		if q.Path, err = Find(r, q.Created); err != nil {
			return inspect.FileView{}, err
		}
	}
	load := store.Query{File: q.Path, History: !q.Content}
	if q.Content {
		load.Current, load.Version = q.Version == 0, q.Version
	}
	l, err := r.Load(load)
	if err != nil {
		return inspect.FileView{}, err
	}
	if v.File = l.File; !v.File.Exists() || !q.Created.IsZero() && !v.File.Created.Equal(q.Created) {
		return inspect.FileView{}, errNoFile
	}
	n := q.Version
	if n == 0 {
		n = v.File.Version
	}
	if v.Version = l.Version; q.Content {
		err = verify.Version(v.Version)
	} else {
		v.Version, err = described(l, n)
	}
	if err != nil {
		return inspect.FileView{}, err
	}
	return v, condition.Kept(v.File, v.Version, n)
}

// described returns a version without content, the zero Version if it is not retained.
func described(l store.Loaded, n int64) (store.Version, error) {
	for _, v := range l.Versions {
		if v.Number == n {
			return v, nil
		}
	}
	if n >= l.File.Oldest() && n <= l.File.Version {
		return store.Version{}, store.Errorf(store.ErrCorrupt, "version %d is missing", n)
	}
	return store.Version{}, nil
}

// Find returns the path of the file that was created at a time. Errors: those of [View].
func Find(r store.Reader, created time.Time) (path string, err error) {
	err = each(r, func(h store.FileHead) error {
		switch {
		case !h.Created.Equal(created):
		case path != "":
			return store.Errorf(store.ErrConflict, "several files were created at this moment; name the file by its path")
		default:
			path = h.Path
		}
		return nil
	})
	if err == nil && path == "" {
		err = errNoFile
	}
	return path, err
}

// each calls fn with all files in byte order of path.
func each(r store.Reader, fn func(store.FileHead) error) error {
	for after := ""; ; {
		heads, err := r.Files("", after, pageSize)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := fn(h); err != nil {
				return err
			}
			after = h.Path
		}
		if len(heads) < pageSize {
			return nil
		}
	}
}

// List returns a page of versions. It reads the heads of all files, and then the versions
// of as many files as it takes to be sure of the page, the last written first.
func List(r store.Reader, q inspect.VersionsQuery) (page inspect.VersionsPage, err error) {
	switch {
	case q.Limit < 0 || q.Limit > maxLimit:
		return page, store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit, q.Limit, maxLimit)
	case q.Limit == 0:
		q.Limit = maxLimit
	}
	var heads []store.FileHead
	err = each(r, func(h store.FileHead) error {
		if q.Created.IsZero() || h.Created.Equal(q.Created) {
			heads = append(heads, h)
		}
		return nil
	})
	if err != nil {
		return page, err
	}
	sort.SliceStable(heads, func(i, j int) bool { return heads[i].Updated.After(heads[j].Updated) })
	var newest []inspect.FileVersion // that the query selects, one more than the page has at most
	for _, h := range heads {
		if !q.From.IsZero() && h.Updated.Before(q.From) || len(newest) > q.Limit && h.Updated.Before(newest[q.Limit].Version.Time) {
			break // no version of this file, or of those after it, is new enough
		}
		if !q.Until.IsZero() && h.Created.After(q.Until) || q.After != nil && h.Created.After(q.After.Time) {
			continue // no version of this file is old enough
		}
		all, err := r.Versions(h.Path)
		if err != nil {
			return page, err
		}
		for _, v := range all {
			newest = insert(newest, inspect.FileVersion{File: h, Version: v, Op: op(h, v, all)}, q)
		}
	}
	page.More = len(newest) > q.Limit
	page.Versions = newest[:min(len(newest), q.Limit)]
	return page, nil
}

// op says whether a version has made the file. Its time is then that of the file, and it is
// the first one of that time.
func op(h store.FileHead, v store.Version, all []store.Version) inspect.VersionOp {
	if v.Time.Equal(h.Created) && v.Number == all[0].Number {
		return inspect.Created
	}
	return inspect.Modified
}

// insert adds a version to those that are the newest so far, if the query selects it.
func insert(newest []inspect.FileVersion, v inspect.FileVersion, q inspect.VersionsQuery) []inspect.FileVersion {
	ref := refOf(v)
	switch {
	case q.Key != "" && v.Version.Author.Key != q.Key,
		q.Op != "" && v.Op != q.Op,
		!q.From.IsZero() && ref.Time.Before(q.From),
		!q.Until.IsZero() && ref.Time.After(q.Until),
		q.After != nil && !before(*q.After, ref):
		return newest
	}
	i := sort.Search(len(newest), func(i int) bool { return before(ref, refOf(newest[i])) })
	if i > q.Limit {
		return newest
	}
	newest = slices.Insert(newest, i, v)
	return newest[:min(len(newest), q.Limit+1)]
}

func refOf(v inspect.FileVersion) inspect.VersionRef {
	return inspect.VersionRef{Time: v.Version.Time, Created: v.File.Created, Number: v.Version.Number}
}

// before reports whether a stands before b in a list.
func before(a, b inspect.VersionRef) bool {
	switch {
	case !a.Time.Equal(b.Time):
		return a.Time.After(b.Time)
	case !a.Created.Equal(b.Created):
		return a.Created.After(b.Created)
	}
	return a.Number > b.Number
}
