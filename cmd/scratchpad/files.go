package main

// filesCommand has the commands about an agent's files.
type filesCommand struct {
	Ls        filesLs        `cmd:"" help:"List the files."`
	Cat       filesCat       `cmd:"" help:"Print a file."`
	Write     filesWrite     `cmd:"" help:"Write a whole file, as a new version."`
	Edit      filesEdit      `cmd:"" help:"Replace a text in a file, append one, or open the file in an editor."`
	Diff      filesDiff      `cmd:"" help:"Show what changed between two versions of a file."`
	Summarize filesSummarize `cmd:"" help:"Print a summary of a long file."`
	History   filesHistory   `cmd:"" help:"List the versions of a file that are kept."`
	Restore   filesRestore   `cmd:"" help:"Make a version that is kept the current one again."`
	Redact    filesRedact    `cmd:"" help:"Remove secrets from a file, or the text of an earlier version, for good."`
	Mv        filesMv        `cmd:"" help:"Move a file to another path, with its versions."`
	Rm        filesRm        `cmd:"" help:"Delete files. files restore brings them back."`
}
