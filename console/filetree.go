package console

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The bounds of a page.
const (
	maxFiles     = 1000 // files that one page shows
	fileMemory   = 4096 // bytes for a file, with a long path
	maxOpenFiles = 30   // files up to which all folders are open
)

// A folder is a part of the tree of files.
type folder struct {
	Name    string
	ID      string // of its element
	Folders []*folder
	Files   []treeFile
	Count   int64 // files of this page in it, and in the folders in it
	Open    bool
	Before  bool // it may have files on the page before
	After   bool // it has files on the next page
}

// Size says how many files the folder has.
func (f *folder) Size() string {
	n := plural(f.Count, "file")
	switch {
	case f.Before && f.After:
		return n + " here, more before and after"
	case f.Before:
		return n + " here, more on the page before"
	case f.After:
		return n + " here, more on the next page"
	}
	return n
}

// A treeFile is a file in the tree.
type treeFile struct {
	Name    string // without its folders
	Address string
	workspace.File
}

// newTree puts the files of a page into their folders. Folders come before files. below is the
// path before the first file of the page.
func newTree(agent, below string, v workspace.FilesView) *folder {
	root := &folder{Open: true}
	for _, f := range v.Files {
		at, path := root, f.Path
		at.Count++
		for {
			name, rest, found := strings.Cut(path, "/")
			if !found {
				break
			}
			n := len(at.Folders)
			if n == 0 || at.Folders[n-1].Name != name {
				at.Folders = append(at.Folders, newFolder(name, f.Path[:len(f.Path)-len(rest)],
					len(v.Files) <= maxOpenFiles))
				n++
			}
			at, path = at.Folders[n-1], rest
			at.Count++
		}
		at.Files = append(at.Files, treeFile{path, fileURL(agent, f.Path), f})
	}
	root.along(below, func(f *folder) { f.Before = true })
	root.along(v.Following, func(f *folder) { f.After = true })
	for at := root; len(at.Folders) == 1 && len(at.Files) == 0; at = at.Folders[0] {
		at.Folders[0].Open = true // there is nothing else to see
	}
	return root
}

// newFolder returns a folder. Its id stays the same when others come and go.
func newFolder(name, path string, open bool) *folder {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(path)) // never fails
	return &folder{Name: name, ID: "d-" + hex.EncodeToString(sum.Sum(nil)), Open: open}
}

// along calls do with the folders of a path, as far as they are here.
func (f *folder) along(path string, do func(*folder)) {
	for {
		name, rest, found := strings.Cut(path, "/")
		i := slices.IndexFunc(f.Folders, func(f *folder) bool { return f.Name == name })
		if !found || i < 0 {
			return
		}
		f, path = f.Folders[i], rest
		do(f)
	}
}
