package console

import (
	"encoding/hex"
	"hash/fnv"
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
}

// A treeFile is a file in the tree.
type treeFile struct {
	Name    string // without its folders
	Address string
	workspace.FileInfo
}

// newTree puts the files of a page into their folders. Folders come before files.
func newTree(agent string, files []workspace.FileInfo) *folder {
	root := &folder{Open: true}
	for _, f := range files {
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
					len(files) <= maxOpenFiles))
				n++
			}
			at, path = at.Folders[n-1], rest
			at.Count++
		}
		at.Files = append(at.Files, treeFile{path, fileURL(agent, f.Path), f})
	}
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
