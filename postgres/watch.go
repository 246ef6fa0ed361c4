package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	// channel is what writers notify and watchers listen to. A payload is the name of the
	// Store that wrote, a space, and the owner.
	channel = "scratchpad_changes"

	notifyPause  = 25 * time.Millisecond  // between two notifications of a store
	pollInterval = 450 * time.Millisecond // between two looks for commits that nobody told of
)

// Watch implements [store.Store].
//
// While somebody watches, the store listens to what other processes notify, on one
// connection. Every half second it also asks for the server's current snapshot, once for all
// watchers. If that has changed, some transaction has ended, and the zero Owner is told. So
// watchers learn of writes also where a notification does not get through.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if ctx.Err() != nil {
		return nil, store.NotStarted(ctx)
	}
	return s.watchers.Watch(ctx)
}

// listen tells watchers until ctx ends. It connects again where the connection is lost.
func (s *Store) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.listenOnce(ctx)
		if ctx.Err() == nil {
			s.log.Debug("postgres: the connection of the watchers was lost", "error", err)
		}
		s.watchers.Tell(store.Owner{}) // whoever is told reads, and gets the error
		sleep(ctx, pollInterval)
	}
}

// listenOnce listens on one connection, until it is lost or ctx ends.
func (s *Store) listenOnce(ctx context.Context) error {
	config := s.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		if from, owner, _ := strings.Cut(n.Payload, " "); from != s.name {
			s.watchers.TellName(owner)
		}
	}
	c, err := wire.Connect(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.Background())
	if err := s.run(ctx, c, wire.Statement{SQL: "LISTEN " + channel}); err != nil {
		return err
	}
	for seen := ""; ; {
		now := ""
		err := s.run(ctx, c, wire.Statement{SQL: "SELECT pg_current_snapshot()::text", Row: wire.Into(&now)})
		if err != nil {
			return err
		}
		if now != seen {
			s.watchers.Tell(store.Owner{})
		}
		seen = now
		wait, cancel := context.WithTimeout(ctx, pollInterval)
		for err == nil {
			err = c.WaitForNotification(wait)
		}
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err) {
			return err
		}
	}
}

// tell tells the watchers of this process of an owner at once, and those of other processes
// soon.
func (s *Store) tell(owner string) {
	s.watchers.TellName(owner)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.news == nil {
		s.news = map[string]bool{}
		s.commits.Go(s.notify)
	}
	s.news[owner] = true
}

// notify tells other processes, until there is nothing more to tell. Many writes share one
// transaction, because PostgreSQL lets one at a time commit a notification.
func (s *Store) notify() {
	for {
		s.mu.Lock()
		owners := s.news
		if s.news = map[string]bool{}; len(owners) == 0 {
			s.news = nil
		}
		s.mu.Unlock()
		if len(owners) == 0 {
			return
		}
		if err := s.send(strings.Join(slices.Collect(maps.Keys(owners)), " ")); err != nil {
			s.log.Debug("postgres: other processes were not told of a write; they will find it", "error", err)
		}
		sleep(s.life, notifyPause)
	}
}

func (s *Store) send(owners string) error {
	ctx, cancel := context.WithTimeout(s.life, time.Second)
	defer cancel()
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	l := lease{c}
	defer l.Release()
	return s.run(ctx, l.conn(),
		wire.Statement{SQL: "BEGIN"},
		wire.Statement{SQL: "SET LOCAL synchronous_commit = off"}, // nothing is stored
		wire.Statement{SQL: "SELECT pg_notify($1, $2 || owner) FROM unnest(string_to_array($3, ' ')) owner",
			Args: []any{channel, s.name + " ", owners}},
		wire.Statement{SQL: "COMMIT"},
	)
}
