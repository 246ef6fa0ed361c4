package main

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

var (
	//go:embed completion.bash
	bashCompletion string
	//go:embed completion.zsh
	zshCompletion string
	//go:embed completion.fish
	fishCompletion string
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

// Help is shown by scratchpad completion --help.
func (completionCommand) Help() string {
	return `With the script, the Tab key completes commands, flags and their values, help topics, agents, and the names of files and logs that agents have stored.

  scratchpad completion bash

For bash, add the line below to ~/.bashrc. For zsh, add it to ~/.zshrc after compinit, with zsh in place of bash. For fish, write the script to ~/.config/fish/completions/scratchpad.fish.

  source <(scratchpad completion bash)`
}

// Run prints the script.
func (c completionCommand) Run(p *process) error {
	script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	return p.answer(map[string]string{"shell": c.Shell, "script": script}, func(out io.Writer) error {
		_, err := io.WriteString(out, script)
		return err
	})
}

// completeCommand is called by the scripts, with the words of the command line after
// the first one. The last word is the one to complete. The command prints a candidate
// a line, with a tab and its help if it has one. The line ":files" stands for local
// files, which the shell completes.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Help is shown by scratchpad __complete --help.
func (completeCommand) Help() string {
	return `The scripts of scratchpad completion call this command with the words of a command line up to the one to complete.

  scratchpad __complete -- client-config cl`
}

// Run never fails, because the shell has no place for an error.
func (c completeCommand) Run(p *process, k *kong.Context) error {
	for _, line := range newCompleter(p, k.Model.Node).complete(c.Words) {
		fmt.Fprintln(p.out, line)
	}
	return nil
}
