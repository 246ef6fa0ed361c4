package setup

import "testing"

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
