package transfer

import (
	"path"
	"slices"
	"strings"
)

// byPrograms are names that programs give to what they make for themselves, in small letters.
var byPrograms = []string{"node_modules", "bower_components", "jspm_packages", "__pycache__", "site-packages",
	"__macosx", "thumbs.db", "desktop.ini", "$recycle.bin", "system volume information", "lost+found"}

// skips reports whether a name is skipped, and notes that: a hidden one, one that a program
// has made for itself, a repository, or one that holds no memory of the source.
func (im *importer) skips(name string, isFolder bool) bool {
	base := strings.ToLower(path.Base(name))
	isOwn := strings.HasPrefix(base, ".") || slices.Contains(byPrograms, base) || isFolder && im.isRepository(name)
	if im.o.All || !isOwn && im.source.holds(name, isFolder) {
		return false
	}
	if len(im.result.Skipped) < maxLeftOut {
		im.result.Skipped = append(im.result.Skipped, strings.ToValidUTF8(name, "\uFFFD"))
	} else {
		im.result.Passed++
	}
	return true
}

// isRepository reports whether a folder is what a .git is, under another name. Its config can hold
// a password.
func (im *importer) isRepository(folder string) bool {
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		_, err := im.folder.root.Lstat(path.Join(folder, name))
		return err != nil
	})
}
