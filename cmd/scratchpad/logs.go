package main

// logsCommand has the commands on an agent's logs.
type logsCommand struct {
	Ls     logsLs     `cmd:"" help:"List the logs."`
	Cat    logsCat    `cmd:"" help:"Print the entries of a log."`
	Append logsAppend `cmd:"" help:"Add an entry to a log, or with --lines one for each line of standard input."`
	Tail   logsTail   `cmd:"" help:"Print the newest entries of a log, and with -f those to come."`
	Rm     logsRm     `cmd:"" help:"Delete logs with all their entries, or the oldest entries of one."`
}
