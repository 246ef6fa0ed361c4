package main

// filesCommand has the commands on an agent's files.
type filesCommand struct {
	Ls        filesLs        `cmd:"" help:"List the files."`
	Cat       filesCat       `cmd:"" help:"Print a file."`
	Write     filesWrite     `cmd:"" help:"Write a file whole, as a new version."`
	Edit      filesEdit      `cmd:"" help:"Replace a text in a file, or open the file in an editor."`
	Diff      filesDiff      `cmd:"" help:"Show what changed between two versions."`
	Summarize filesSummarize `cmd:"" help:"Print what is in a long file, in short."`
	History   filesHistory   `cmd:"" help:"List the kept versions of a file."`
	Rm        filesRm        `cmd:"" help:"Delete files with all their versions."`
}
