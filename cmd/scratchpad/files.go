package main

// filesCommand has the commands about an agent's files.
type filesCommand struct {
	Ls        filesLs        `cmd:"" help:"List the files."`
	Cat       filesCat       `cmd:"" help:"Print a file."`
	Write     filesWrite     `cmd:"" help:"Write a whole file from a local one or standard input."`
	Edit      filesEdit      `cmd:"" help:"Replace a text that occurs once; an empty <old> appends <new>."`
	Diff      filesDiff      `cmd:"" help:"Show what changed between two versions, or in the last one."`
	Summarize filesSummarize `cmd:"" help:"Print a summary of a long file."`
	History   filesHistory   `cmd:"" help:"List the kept versions of a file, with their authors."`
	Restore   filesRestore   `cmd:"" help:"Make a kept version the current one again, or bring a deleted file back."`
	Redact    filesRedact    `cmd:"" help:"Remove secrets from a file, or the text of an earlier version, for good."`
	Mv        filesMv        `cmd:"" help:"Move a file to another path, with its versions."`
	Rm        filesRm        `cmd:"" help:"Delete files. files restore brings them back."`
}
