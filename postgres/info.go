package postgres

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
)

// Info says what a database is like, for operators.
type Info struct {
	Server         string // the version of the server, such as 15.14
	Standby        bool   // the server takes no writes, and follows a primary
	ReadOnly       bool   // the server, the database or the user has default_transaction_read_only
	Checksums      bool   // pages have checksums
	Schema, Newest int64  // the version of the schema, and the newest that this package knows
	Bytes          int64  // the size of the database on the server's disk

	Connections, MaxConnections int64 // of the server: those that are open, and the most

	SynchronousCommit   string        // the server's own setting. Transactions of this package use on at least
	SynchronousStandbys string        // synchronous_standby_names
	Standbys            []Standby     // that are connected to a primary, by name; at most 20
	Lag                 time.Duration // of a standby: how old the last change is that it has, 0 if it has all

	NotDurable []string // why a write that was acknowledged may be lost when the server's machine fails; nil: it is not
}

// A Standby is one that a primary knows. A user without the role pg_monitor sees only that
// it is there, and its Sync is "".
type Standby struct {
	Name string // its application_name
	Sync string // sync, quorum, potential or async
	Lag  time.Duration
}

const infoSQL = `SELECT current_setting('server_version'), pg_is_in_recovery(),
	coalesce(current_setting('default_transaction_read_only', true), 'off') = 'on', coalesce(current_setting('data_checksums', true), 'off') = 'on',
	(SELECT version::bigint FROM schema_version), pg_database_size(current_database()),
	(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), current_setting('max_connections')::bigint,
	current_setting('synchronous_commit'), coalesce(current_setting('synchronous_standby_names', true), ''),
	CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
		ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()) * 1000000, 0)::bigint END,
	coalesce(current_setting('fsync', true), 'on') = 'off', coalesce(current_setting('full_page_writes', true), 'on') = 'off',
	(SELECT count(*) FROM pg_class WHERE relpersistence = 'u' AND oid IN
		(to_regclass('owners'), to_regclass('files'), to_regclass('versions'), to_regclass('logs'), to_regclass('entries'), to_regclass('records')))`

const standbysSQL = `SELECT coalesce(application_name, ''), coalesce(sync_state, ''), coalesce(extract(epoch FROM replay_lag) * 1000000, 0)::bigint
	FROM pg_stat_replication ORDER BY 1, 2 LIMIT 20`

// Info asks the server what it and the database are like. Errors: as of a read.
func (s *Store) Info(ctx context.Context) (i Info, err error) {
	var lag, unlogged int64
	var unsynced, torn bool
	server := wire.Statement{SQL: infoSQL, Row: wire.Into(&i.Server, &i.Standby, &i.ReadOnly, &i.Checksums, &i.Schema,
		&i.Bytes, &i.Connections, &i.MaxConnections, &i.SynchronousCommit, &i.SynchronousStandbys, &lag, &unsynced,
		&torn, &unlogged)}
	standbys := wire.Statement{SQL: standbysSQL, Row: func(row *wire.Fields) error {
		var one Standby
		err := row.Scan(&one.Name, &one.Sync, (*int64)(&one.Lag))
		one.Lag *= time.Microsecond
		i.Standbys = append(i.Standbys, one)
		return err
	}}
	if err := s.view(ctx, func(sn *snapshot) error {
		i.Standbys = nil
		return sn.do(server, standbys)
	}); err != nil {
		return Info{}, err
	}
	i.Newest = schemaVersion
	i.Lag = time.Duration(lag) * time.Microsecond
	for _, danger := range []struct {
		is  bool
		why string
	}{
		{unsynced, "fsync is off, so a crash of the server's machine may lose writes and damage the database"},
		{torn, "full_page_writes is off, so a crash of the server's machine may damage the database"},
		{unlogged > 0, "tables are UNLOGGED, so a crash of the server empties them"},
	} {
		if danger.is {
			i.NotDurable = append(i.NotDurable, danger.why)
		}
	}
	return i, nil
}
