package setup

import (
	"slices"
	"testing"
)

// Undo removes folders from the last to the first, so a folder comes before those in it, in
// whatever order two setups note them.
func TestAddFolders(t *testing.T) {
	j := journal{Folders: []string{"/home/me/.local/share", "/home/me/.local/share/scratchpad"}}
	j.addFolders([]string{"/home/me/.local", "/home/me/.local/share"})
	if want := []string{"/home/me/.local", "/home/me/.local/share", "/home/me/.local/share/scratchpad"}; !slices.Equal(j.Folders, want) {
		t.Errorf("the folders are %q, want %q", j.Folders, want)
	}
}

func TestPathLine(t *testing.T) {
	for _, c := range []struct{ dir, shell, system, want string }{
		{"/h/.local/bin", "/bin/bash", "linux", `echo 'export PATH=/h/.local/bin:"$PATH"' >> ~/.bashrc`},
		{"/h/.local/bin", "/usr/bin/zsh", "darwin", `echo 'export PATH=/h/.local/bin:"$PATH"' >> ~/.zshrc`},
		{"/h/my bin", "/usr/bin/fish", "linux", "fish_add_path '/h/my bin'"},
		{"/h/my bin", "", "linux", `export PATH='/h/my bin':"$PATH"`},
		{`C:\it's`, "", "windows", `[Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';C:\it''s', 'User')`},
	} {
		if got := PathLine(c.dir, c.shell, c.system); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
