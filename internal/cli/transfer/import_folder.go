package transfer

import (
	"cmp"
	"io/fs"
	"path"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A found is a name in a folder, with the path that it stands for.
type found struct {
	name, path string
	size       int64
}

// plain imports the files of a folder that is no export.
func (im *importer) plain() error {
	return im.walk(".", nil, func(name string) (string, error) { return name, nil },
		func(name string) bool { _, err := im.o.Paths.Parse(name); return err == nil })
}

// added imports the files that somebody added to an export.
func (im *importer) added(files [][]fileRecord) error {
	listed := map[string]bool{} // names, and their folders
	for _, versions := range files {
		for name := versions[len(versions)-1].Name; !listed[name] && name != "."; name = path.Dir(name) {
			listed[name] = true
		}
	}
	dir := strings.TrimSuffix(filesDir, "/")
	if info, err := im.folder.root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	const deep = 4096 // bytes of a name; no path has so long a name
	return im.walk(dir, listed, func(name string) (string, error) { return Unescape(name[len(filesDir):]) },
		func(name string) bool { return len(name) < deep })
}

// walk imports the files below a folder that are not listed, in byte order within each
// folder. pathOf returns the path that a name stands for. walk does not go into a folder
// that enter refuses, and leaves it out.
func (im *importer) walk(dir string, listed map[string]bool, pathOf func(name string) (string, error),
	enter func(name string) bool) error {
	var all []found
	left := maxNames + len(listed)
	err := fs.WalkDir(im.folder.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		left--
		switch {
		case left < -1: // dir itself is one
			return workspace.Errorf(workspace.ErrTooLarge,
				"the folder has more than %d names; import its folders one by one", maxNames)
		case im.ctx.Err() != nil:
			return im.ctx.Err()
		case err != nil:
			return im.unless(name, err)
		case name == dir || listed[name]:
			return nil
		}
		var skip error
		if d.IsDir() {
			skip = fs.SkipDir
		}
		if im.skips(name, d.IsDir()) {
			return skip
		}
		if d.IsDir() && enter(name) {
			return nil
		}
		f := found{name: name}
		if f.path, err = pathOf(name); err != nil {
			return cmp.Or(im.unless(name, err), skip)
		}
		if info, err := d.Info(); err == nil {
			f.size = info.Size()
		}
		all = append(all, f)
		return skip
	})
	if err != nil {
		return err
	}
	for _, f := range all {
		im.total += f.size
	}
	for _, f := range all {
		err := im.each(f.name, f.path, "", func(path string) error {
			content, err := im.folder.read(f.name, im.limits.FileBytes)
			if err != nil {
				return err
			}
			return im.content(path, content, nil)
		})
		if err != nil {
			return err
		}
		im.did(f.size)
	}
	return nil
}
