package flags

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres"
)

// Postgres are the flags of databases of PostgreSQL.
type Postgres struct {
	Connections      Count `name:"db-connections" default:"16" placeholder:"N" help:"The most connections that this process opens for calls. Two more watch for changes. Default: ${default}."`
	CommitWait       Span  `default:"20s" placeholder:"TIME" help:"How long a caller waits for the server to confirm a commit. After that the caller is told that the outcome is unknown; the commit goes on. Default: ${default}."`
	LockTimeout      Span  `default:"15s" placeholder:"TIME" help:"How long a call waits for a lock, for its turn or for a connection. Default: ${default}."`
	IdleTimeout      Span  `default:"15s" placeholder:"TIME" help:"After how long the server ends a transaction that does nothing. Default: ${default}."`
	StatementTimeout Span  `default:"30s" placeholder:"TIME" help:"After how long a statement fails. A COMMIT has no such limit. Default: ${default}."`
}

// Validate returns an error if a time is one that the server would take for no limit, or
// does not take.
func (p Postgres) Validate() error {
	for _, f := range fields("", p) {
		if wait, ok := f.value.(Span); ok && (wait.Duration < time.Millisecond || wait.Duration > 24*time.Hour) {
			return fmt.Errorf("%s must be a time from 1ms to 24h, not %v", f.flag, wait)
		}
	}
	return nil
}

// Args returns the flags that are not as by default.
func (p Postgres) Args() []string { return args("", p) }

// Options returns the options of a database.
func (p Postgres) Options() postgres.Options {
	return postgres.Options{
		MaxConns: int(min(p.Connections, 1000)), CommitWait: p.CommitWait.Duration, LockTimeout: p.LockTimeout.Duration,
		IdleTimeout: p.IdleTimeout.Duration, StatementTimeout: p.StatementTimeout.Duration,
	}
}
