package transfer

import (
	"strings"
)

// A found is a name in a folder, with the path that it stands for.
type found struct {
	name, path string
	size       int64
}

// plain imports the files of a folder that is no export.
func (im *importer) plain() error {
	var all []found
	left := maxNames
	isPath := func(name string) bool { _, err := im.o.Paths.Parse(name); return err == nil }
	err := im.folder.walk(".", &left, isPath, func(name string, size int64, err error) error {
		if err != nil {
			return im.unless(name, err)
		}
		all = append(all, found{name, name, size})
		return im.ctx.Err()
	})
	if err != nil {
		return err
	}
	return im.found(all)
}

// added imports the files that somebody added to an export.
func (im *importer) added(m *manifest) error {
	names := map[string]bool{}
	for _, versions := range m.files {
		names[versions[len(versions)-1].Name] = true
	}
	dir := strings.TrimSuffix(filesDir, "/")
	if info, err := im.folder.root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	var all []found
	left := maxNames + len(names)
	const deep = 4096 // bytes of a name; no path has so long a name
	isShort := func(name string) bool { return len(name) < deep }
	err := im.folder.walk(dir, &left, isShort, func(name string, size int64, err error) error {
		if names[name] {
			return im.ctx.Err()
		}
		path := ""
		if err == nil {
			path, err = Unescape(name[len(filesDir):])
		}
		if err != nil {
			return im.unless(name, err)
		}
		all = append(all, found{name, path, size})
		return im.ctx.Err()
	})
	if err != nil {
		return err
	}
	return im.found(all)
}

// found imports files that have no history.
func (im *importer) found(all []found) error {
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
