package complete

import _ "embed"

var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.zsh
	zshScript string
	//go:embed completion.fish
	fishScript string
)

// Script returns the script that makes a shell complete: bash, zsh or fish.
func Script(shell string) string {
	return map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
}
