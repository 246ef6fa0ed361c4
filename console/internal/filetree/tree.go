// Package filetree arranges a page of files in their folders, and makes the page's HTML.
package filetree

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/console/internal/format"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// What a page takes.
const (
	MaxFiles = 1000 // files that one page shows
	Memory   = 4096 // bytes for a file, with a long path
	maxOpen  = 60   // files up to which all folders are open
)

// A Folder is a part of the tree of files.
type Folder struct {
	Name    string
	ID      string // of its element
	Folders []*Folder
	Files   []File
	Count   int64 // files of this page in it, and in the folders in it
	Open    bool
	Before  bool // it may have files on the page before
	After   bool // it has files on the next page
}

// size says how many files the folder has.
func (f *Folder) size() string {
	n := format.Plural(f.Count, "file")
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

// A File is a file in the tree.
type File struct {
	Name    string // without its folders
	Address string
	workspace.AuthoredFile
}

// New puts the files of a page into their folders. Folders come before files. below is the
// path before the first file of the page. address returns that of a file.
func New(below string, v workspace.FilesView, address func(path string) string) *Folder {
	root := &Folder{Open: true}
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
				at.Folders = append(at.Folders, at.folder(name, f.Path[:len(f.Path)-len(rest)], len(v.Files) <= maxOpen))
				n++
			}
			at, path = at.Folders[n-1], rest
			at.Count++
		}
		at.Files = append(at.Files, File{path, address(f.Path), f})
	}
	root.along(below, func(f *Folder) { f.Before = true })
	root.along(v.Following, func(f *Folder) { f.After = true })
	for at := root; len(at.Folders) == 1 && len(at.Files) == 0; at = at.Folders[0] {
		at.Folders[0].Open = true // there is nothing else to see
	}
	return root
}

// folder returns a folder below another. Its id stays the same when others come and go.
func (f *Folder) folder(name, path string, open bool) *Folder {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(path)) // never fails
	return &Folder{Name: name, ID: "d-" + hex.EncodeToString(sum.Sum(nil)), Open: open}
}

// along calls do with the folders of a path, as far as they are here.
func (f *Folder) along(path string, do func(*Folder)) {
	for {
		name, rest, found := strings.Cut(path, "/")
		i := slices.IndexFunc(f.Folders, func(f *Folder) bool { return f.Name == name })
		if !found || i < 0 {
			return
		}
		f, path = f.Folders[i], rest
		do(f)
	}
}
