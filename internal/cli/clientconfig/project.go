package clientconfig

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ProjectOf returns the folder of the project that a file of the client belongs to; "" if the
// file is the user's own.
func (c Client) ProjectOf(file string) string {
	own, _ := c.File()
	folder, is := strings.CutSuffix(filepath.ToSlash(file), "/"+c.shared)
	if c.shared == "" || !is || file == own {
		return ""
	}
	return filepath.FromSlash(folder)
}

// CheckLink returns an error if a file or a folder is a link: somebody else may have made it. Errors:
// [store.ErrInvalid].
func CheckLink(name string) error {
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	return Errorf(store.ErrInvalid, "%s is a link, which is not followed; remove the link, or put in by hand what "+
		"scratchpad client-config prints", name)
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
	d, err := parseJSON(text)
	if err != nil {
		return nil, ofFile(file, err)
	}
	return d.value(path...), nil
}
