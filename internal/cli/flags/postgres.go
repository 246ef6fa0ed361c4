package flags

import "github.com/agent-scratchpad/scratchpad/postgres"

// Postgres are the flags of databases of PostgreSQL.
type Postgres struct {
	Connections      Count `name:"db-connections" default:"16" placeholder:"N"`
	CommitWait       Wait  `default:"20s" placeholder:"TIME"`
	LockTimeout      Wait  `default:"15s" placeholder:"TIME"`
	IdleTimeout      Wait  `default:"15s" placeholder:"TIME"`
	StatementTimeout Wait  `default:"30s" placeholder:"TIME"`
}

// Options returns the options of a database.
func (p Postgres) Options() postgres.Options {
	return postgres.Options{
		MaxConns: int(min(p.Connections, 1000)), CommitWait: p.CommitWait.Duration, LockTimeout: p.LockTimeout.Duration,
		IdleTimeout: p.IdleTimeout.Duration, StatementTimeout: p.StatementTimeout.Duration,
	}
}
