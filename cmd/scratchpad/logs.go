package main

// logsCommand has the commands about an agent's logs.
type logsCommand struct {
	Ls     logsLs     `cmd:"" help:"List the logs."`
	Cat    logsCat    `cmd:"" help:"Print the entries of a log."`
	Append logsAppend `cmd:"" help:"Append an entry, or with --lines one for each line of standard input."`
	Tail   logsTail   `cmd:"" help:"Print the newest entries of a log, and with --follow each new one."`
	Redact logsRedact `cmd:"" help:"Remove the text of an entry for good."`
	Rm     logsRm     `cmd:"" help:"Delete logs, or the oldest entries of a log."`
}
