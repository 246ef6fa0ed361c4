package transfer

import (
	"path"
	"slices"
	"strings"
)

// byPrograms are names that programs give to what they make for themselves, in small
// letters. A name with others counts only beside one of them, because people use it too.
var byPrograms = map[string][]string{
	"node_modules": nil, "bower_components": nil, "jspm_packages": nil, "__pycache__": nil, "site-packages": nil,
	"__macosx": nil, "thumbs.db": nil, "desktop.ini": nil, "$recycle.bin": nil, "system volume information": nil,
	"lost+found": nil,
	"vendor":     {"go.mod", "composer.json", "Gemfile"},
	"target":     {"Cargo.toml", "pom.xml", "build.sbt"},
	"dist":       {"package.json", "pyproject.toml", "setup.py"},
	"build":      {"package.json", "pyproject.toml", "setup.py", "build.gradle", "build.gradle.kts", "CMakeLists.txt"},
}

// inPrograms are names by which a folder is known that programs make for themselves: a
// cache, an environment of Python, a bare repository of Git.
var inPrograms = [][]string{{"CACHEDIR.TAG"}, {"pyvenv.cfg"}, {"HEAD", "objects", "refs"}}

// skips reports whether a name is skipped, and notes that: a hidden one, one that a program
// has made for itself, or one that holds no memory of the source.
func (im *importer) skips(name string, isFolder bool) bool {
	if im.o.All || !isHidden(name) && !im.isByProgram(name, isFolder) && im.source.holds(name, isFolder) {
		return false
	}
	if len(im.result.Skipped) < maxLeftOut {
		im.result.Skipped = append(im.result.Skipped, strings.ToValidUTF8(name, "\uFFFD"))
	} else {
		im.result.Passed++
	}
	return true
}

func isHidden(name string) bool { return strings.HasPrefix(path.Base(name), ".") }

func (im *importer) isByProgram(name string, isFolder bool) bool {
	has := func(dir, name string) bool { _, err := im.folder.root.Lstat(path.Join(dir, name)); return err == nil }
	beside, is := byPrograms[strings.ToLower(path.Base(name))]
	if is && (beside == nil || slices.ContainsFunc(beside, func(n string) bool { return has(path.Dir(name), n) })) {
		return true
	}
	return isFolder && slices.ContainsFunc(inPrograms, func(all []string) bool {
		return !slices.ContainsFunc(all, func(n string) bool { return !has(name, n) })
	})
}
