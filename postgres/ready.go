package postgres

import (
	"cmp"
	"context"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Ready returns nil if the server answers and takes writes. Ready takes a second at most.
// Callers at the same time share one look. The errors name nothing of the server, because
// everybody may see them. The first of equal errors is logged with the details.
//
// Errors: [store.ErrReadOnly], [store.ErrUnsupported], [store.ErrBusy] and
// [store.ErrClosed].
func (s *Store) Ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	if s.readOnly {
		return store.Errorf(store.ErrReadOnly, "the database is open for reading only")
	}
	return s.probe.Do(ctx, s.log, s.look)
}

// look asks the server whether it takes writes, on a connection of the pool.
func (s *Store) look() error {
	var version int64
	var standby, readOnly bool
	err := s.view(s.life, func(sn *snapshot) error {
		return sn.do(wire.Statement{
			SQL: "SELECT version, pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on' FROM " +
				"schema_version",
			Row: wire.Into(&version, &standby, &readOnly),
		})
	})
	if err == nil {
		err = checkVersion(version)
	}
	switch {
	case err != nil:
		return store.CausedBy(err, cmp.Or(store.Kind(err), store.ErrBusy),
			"the database does not answer; the server's log says why")
	case standby:
		return store.Errorf(store.ErrReadOnly, "the database is a standby, which takes no writes")
	case readOnly:
		return store.Errorf(store.ErrReadOnly, "the database takes no writes")
	}
	return nil
}
