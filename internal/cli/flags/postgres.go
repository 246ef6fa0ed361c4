package flags

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres"
)

// Postgres are the flags of databases of PostgreSQL.
type Postgres struct {
	Connections      Count `name:"db-connections" default:"16" placeholder:"N"`
	CommitWait       Span  `default:"20s" placeholder:"TIME"`
	LockTimeout      Span  `default:"15s" placeholder:"TIME"`
	IdleTimeout      Span  `default:"15s" placeholder:"TIME"`
	StatementTimeout Span  `default:"30s" placeholder:"TIME"`
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
