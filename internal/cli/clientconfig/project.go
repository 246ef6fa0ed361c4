package clientconfig

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Project returns the folder of the project that a client's file belongs to, with all
// links followed; "" if the file is the user's own. The file need not exist.
func Project(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	for _, name := range []string{".mcp.json", cursorFile, ".vscode/mcp.json", hookFolder + "/" + hookFile} {
		dir, is := strings.CutSuffix(filepath.ToSlash(file), "/"+name)
		if !is {
			continue
		}
		project, err := realPath(cmp.Or(filepath.FromSlash(dir), string(filepath.Separator)))
		if home, homeErr := os.UserHomeDir(); homeErr == nil && name == cursorFile {
			if home, homeErr = realPath(home); homeErr == nil && home == project {
				return "", nil
			}
		}
		return project, err
	}
	return "", nil
}

// cursorFile is the file of Cursor, in the folder of a project and in the user's home.
const cursorFile = ".cursor/mcp.json"

// Inside returns the project of a file, as [Project] does. It returns an error unless the file is
// in the project's folder, links followed. Somebody else may have made the links of a project.
// Nothing may lead to the hooks of one user but the folders themselves: Claude Code does not read
// them through a link. Without a project the file must be in its own folder. Errors: [ErrInvalid]
// and those of package os.
func Inside(file string) (project string, err error) {
	if project, err = Project(file); err != nil {
		return "", err
	}
	root, err := realPath(cmp.Or(project, filepath.Dir(file)))
	if err != nil {
		return "", err
	}
	real, err := filepath.Abs(file)
	if err == nil {
		real, err = realPath(real)
	}
	if err != nil {
		return "", err
	}
	within, err := filepath.Rel(root, real)
	switch {
	case err != nil || !filepath.IsLocal(within):
		return "", fail(ErrInvalid, "%s is reached by a link that leads out of %s, to %s; remove the link, or put "+
			"in by hand what scratchpad client-config prints", onOneLine(file), onOneLine(root), onOneLine(real))
	case project != "" && filepath.Base(file) == hookFile && within != filepath.Join(hookFolder, hookFile):
		return "", fail(ErrInvalid, "%s is reached by a link, to %s; remove the link", onOneLine(file), onOneLine(real))
	}
	return project, nil
}

// realPath follows the links in a path. What is not there yet stays as it is. Errors:
// [ErrInvalid] for a link that leads nowhere, and those of package os.
func realPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if info, here := os.Lstat(dir); err != nil && here == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", leadsNowhere(dir, err)
	}
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		above, err := realPath(filepath.Dir(dir))
		return filepath.Join(above, filepath.Base(dir)), err
	}
	return real, err
}

// LocalFolders returns the folders for which the user's own file of Claude Code has a server
// under a name for that folder alone. It wins over all others.
func LocalFolders(file, name string) (folders []string, err error) {
	value, err := valueIn(file, "projects")
	projects, _ := value.(map[string]any)
	for _, folder := range slices.Sorted(maps.Keys(projects)) {
		project, _ := projects[folder].(map[string]any)
		servers, _ := project["mcpServers"].(map[string]any)
		if _, found := servers[name]; found {
			folders = append(folders, folder)
		}
	}
	return folders, err
}

// valueIn returns what is at a path in a file, decoded; nil if there is nothing.
func valueIn(file string, path ...string) (value any, err error) {
	text, err := ReadFile(file)
	if err != nil {
		return nil, unlessMissing(err)
	}
	if text, _, err = cutMark(text); err == nil {
		var d document
		if d, err = parseJSON(text); err == nil {
			value, err = d.value(path...)
		}
	}
	if err != nil {
		return nil, ofFile(file, err)
	}
	return value, nil
}
