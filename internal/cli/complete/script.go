package complete

import "embed"

//go:embed completion.*
var scripts embed.FS

// Script returns the script that makes a shell complete: bash, zsh or fish.
func Script(shell string) string {
	script, _ := scripts.ReadFile("completion." + shell) // "" for another shell
	return string(script)
}
