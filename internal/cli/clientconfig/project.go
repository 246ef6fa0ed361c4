package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Project returns the folder of the project that a client's file belongs to, with all
// links followed; "" if the file is the user's own. The file need not exist.
func Project(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	dir, name := filepath.Dir(file), filepath.Base(file)
	switch parent := filepath.Base(dir); {
	case name == ".mcp.json":
		return realPath(dir)
	case name == "mcp.json" && (parent == ".cursor" || parent == ".vscode"), name == hookFile && parent == hookFolder:
	default:
		return "", nil
	}
	project, err := realPath(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.Base(dir) == ".cursor" {
		if home, err = realPath(home); err == nil && home == project {
			return "", nil
		}
	}
	return project, nil
}

// Inside returns an error unless a file is in a project's folder, links followed. Somebody
// else may have made the links of a project. Nothing may lead to the hooks of one user but
// the folders themselves: Claude Code does not read them through a link. An empty project
// has no bounds. Errors: [ErrInvalid] and those of package os.
func Inside(file, project string) error {
	if project == "" {
		return nil
	}
	root, err := realPath(project)
	if err != nil {
		return err
	}
	real, err := filepath.Abs(file)
	if err == nil {
		real, err = realPath(real)
	}
	if err != nil {
		return err
	}
	within, err := filepath.Rel(root, real)
	switch {
	case err != nil || !filepath.IsLocal(within):
		return fail(ErrInvalid, "%s is reached by a link that leads out of the project, to %s; remove the link",
			onOneLine(file), onOneLine(real))
	case filepath.Base(file) == hookFile && within != filepath.Join(hookFolder, hookFile):
		return fail(ErrInvalid, "%s is reached by a link, to %s; remove the link", onOneLine(file), onOneLine(real))
	}
	return nil
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
