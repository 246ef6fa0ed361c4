package transfer

import (
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A found is a name in a folder, with the path that it stands for.
type found struct {
	name, path string
	content    []byte    // nil: that of the file
	time       time.Time // of the first version; zero: when it is imported
}

// list finds the files below a folder. It leaves out a name for which path returns an error.
func (im *importer) list(
	dir string, w *walk, path func(name string) (string, error),
) (all []found, err error) {
	err = im.folder.walk(dir, w, func(name string, info fs.FileInfo, err error) error {
		f := found{name: name}
		if err == nil {
			f.path, err = path(name)
		}
		if err != nil {
			return im.unless(name, err)
		}
		if im.source.Name != "" {
			f.time = im.past(info.ModTime())
		}
		all = append(all, f)
		return im.ctx.Err()
	})
	return all, err
}

// plain imports the files of a folder that is no export.
func (im *importer) plain() error {
	isPath := func(name string) bool { _, err := im.o.Paths.Parse(name); return err == nil }
	w := &walk{left: maxNames, skip: im.skips, enter: isPath}
	all, err := im.list(".", w, func(name string) (string, error) { return name, nil })
	if err != nil {
		return err
	}
	return im.found(all)
}

// added imports the files that somebody added to an export.
func (im *importer) added(m *manifest) error {
	names := map[string]bool{} // that the manifest lists, and their folders
	for _, versions := range m.files {
		for name := versions[len(versions)-1].Name; !names[name] && name != "."; name = path.Dir(name) {
			names[name] = true
		}
	}
	dir := strings.TrimSuffix(filesDir, "/")
	if info, err := im.folder.root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	skips := func(name string, isFolder bool) bool {
		if names[name] {
			return !isFolder
		}
		return im.skips(name, isFolder)
	}
	all, err := im.list(dir, &walk{left: maxNames + len(names), skip: skips}, func(name string) (string, error) {
		return Unescape(name[len(filesDir):])
	})
	if err != nil {
		return err
	}
	return im.found(all)
}

// found imports files that have no history.
func (im *importer) found(all []found) error {
	im.total += int64(len(all))
	for _, f := range all {
		err := im.each(f.name, f.path, "", func(path string) error {
			content, err := f.content, error(nil)
			if content == nil {
				content, err = im.folder.read(f.name, im.limits.FileBytes)
			}
			if err != nil {
				return err
			}
			return im.content(path, content, func() ([]workspace.Version, error) {
				return []workspace.Version{{Number: 1, Author: im.ws.Author(), Time: f.time, Content: content}}, nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
