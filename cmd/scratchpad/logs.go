package main

// logsCommand has the commands about an agent's logs.
type logsCommand struct {
	Ls     logsLs     `cmd:"" help:"List the logs."`
	Cat    logsCat    `cmd:"" help:"Print the entries of a log."`
	Append logsAppend `cmd:"" help:"Append an entry to a log, or with --lines an entry for each line of standard input."`
	Redact logsRedact `cmd:"" help:"Remove the text of an entry for good."`
	Tail   logsTail   `cmd:"" help:"Print the newest entries of a log, and with -f each new one."`
	Rm     logsRm     `cmd:"" help:"Delete logs with all their entries, or the oldest entries of a log."`
}
