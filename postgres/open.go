package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Options of [Open] and [OpenReadOnly]. The zero value works.
type Options struct {
	Logger   *slog.Logger // nil: slog.Default()
	MaxConns int          // the most connections for calls; one more watches. 0: 16. At least 2

	CommitWait       time.Duration // how long a caller waits for a commit. After that its outcome is unknown. 0: 20 s
	LockTimeout      time.Duration // how long a call waits for a lock, for its turn or for a connection. 0: 15 s
	IdleTimeout      time.Duration // after which the server ends a transaction that does nothing. 0: 15 s
	StatementTimeout time.Duration // after which a statement other than COMMIT fails. 0: 30 s
}

func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.MaxConns = max(cmp.Or(o.MaxConns, 16), 2)
	o.CommitWait = cmp.Or(o.CommitWait, 20*time.Second)
	o.LockTimeout = cmp.Or(o.LockTimeout, 15*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 15*time.Second)
	o.StatementTimeout = cmp.Or(o.StatementTimeout, 30*time.Second)
	return o
}

// Store is a [store.Store] in a PostgreSQL database. It is safe for concurrent use, and
// any number of processes may use the same database.
type Store struct {
	o        Options
	log      *slog.Logger
	config   *pgconn.Config
	settings string // the statement that sets the timeouts
	name     string // random, tells the notifications of this Store from those of others
	readOnly bool
	pool     *pgxpool.Pool
	turns    store.Turns
	writers  chan struct{} // a value for each connection that writers have
	stats    stats
	watchers store.Watchers
	probe    store.Probe

	life context.Context // of commits, ends some time after Close
	kill context.CancelFunc

	mu     sync.Mutex // guards the following
	closed bool
	calls  sync.WaitGroup  // of callers; Add only while not closed
	news   map[string]bool // owners that other processes are to be told of; nil: nobody tells them

	commits sync.WaitGroup // for which no caller waits any more, and what tells other processes
	once    sync.Once
}

// connectTimeout is how long one try to connect takes, if the URL does not say.
const connectTimeout = 5 * time.Second

// Open opens the database of a URL, such as postgres://user@host/database. The URL and the
// environment have the form that libpq gives them, service and password files included:
// https://www.postgresql.org/docs/current/libpq-connect.html. A URL that lists several hosts
// finds the primary among them with target_session_attrs=read-write.
//
// A database that has no tables yet gets them. Errors: [store.ErrUnsupported] for a
// database that this version cannot use, [store.ErrBusy] if the server cannot be
// reached. A host beyond this machine without sslmode=verify-full is a warning in the log.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	return open(ctx, url, o, false)
}

// OpenReadOnly opens a database that exists, and changes nothing in it.
func OpenReadOnly(ctx context.Context, url string, o Options) (*Store, error) {
	return open(ctx, url, o, true)
}

func open(ctx context.Context, url string, o Options, readOnly bool) (*Store, error) {
	pool, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, unreadable()
	}
	config := &pool.ConnConfig.Config
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	// A server whose machine has gone is noticed within half a minute.
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second,
		Interval: 5 * time.Second, Count: 4}}
	config.DialFunc = dialer.DialContext
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "scratchpad"
	}
	config.RuntimeParams["client_encoding"] = "UTF8"
	o = o.withDefaults()
	if host := unverified(config); host != "" {
		o.Logger.Warn("postgres: the server is on another machine, and its name is not checked against a certificate; "+
			"add sslmode=verify-full to the URL", "host", host)
	}
	s := &Store{o: o, log: o.Logger, config: config, settings: settingsOf(o), name: rand.Text(), readOnly: readOnly}
	s.writers = make(chan struct{}, o.MaxConns-max(1, o.MaxConns/4)) // readers always find a connection
	s.watchers.Poll = s.listen
	s.life, s.kill = context.WithCancel(context.Background())
	if s.pool, err = s.newPool(pool); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		s.logRefusal(err)
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// unreadable is the error of a URL. It has no part of the URL, which may have a password.
func unreadable() error {
	return store.Errorf(store.ErrInvalid, "the URL of the database cannot be read; it has the form "+
		"postgres://user@host:5432/database")
}

// unverified returns the first host beyond this machine whose certificate and name are not
// checked, or "" if there is none. A password or a memory may go to whoever answers there.
func unverified(c *pgconn.Config) string {
	first := pgconn.FallbackConfig{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}
	for _, to := range append([]*pgconn.FallbackConfig{&first}, c.Fallbacks...) {
		network, _ := pgconn.NetworkAddress(to.Host, to.Port)
		address, _ := netip.ParseAddr(to.Host)
		local := network == "unix" || strings.EqualFold(to.Host, "localhost") || address.Unmap().IsLoopback()
		if !local && (to.TLSConfig == nil || to.TLSConfig.InsecureSkipVerify) {
			return to.Host
		}
	}
	return ""
}

// prepare checks the server and makes the schema. It tries again for a moment where the
// connection is lost.
func (s *Store) prepare(ctx context.Context) error {
	var err error
	for n := range tries(ctx) {
		var again bool
		if again, err = s.prepareOnce(ctx); !again || n == 5 {
			break
		}
	}
	return err
}

// prepareOnce reports whether prepare may succeed if it runs again.
func (s *Store) prepareOnce(ctx context.Context) (again bool, err error) {
	c, err := wire.Connect(ctx, s.config)
	if err != nil {
		return mayConnectAgain(err), unreachable(ctx, err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c.Close(ctx)
	}()
	if encoding := c.ParameterStatus("server_encoding"); encoding != "UTF8" && encoding != "" {
		return false, store.Errorf(store.ErrUnsupported,
			"the database has the encoding %s; create one with the encoding UTF8", encoding)
	}
	if s.readOnly {
		var version int64
		version, err = schemaOf(ctx, s, c)
		switch {
		case err != nil:
		case version == 0:
			err = store.Errorf(store.ErrNotFound,
				"the database has no tables of scratchpad yet; the first write makes them")
		default:
			err = checkVersion(version)
		}
	} else {
		err = s.makeSchema(ctx, c)
	}
	return err != nil && store.Kind(err) == nil && mayRunAgain(err), failed(ctx, err)
}

// unreachable is the error of a server to which no connection was to be had. It is one
// line without addresses, which are inner ones of whoever runs the server.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	return store.Errorf(kindOf(err), "no connection to the database: %s", reasonOf(err))
}

// reasonOf says why there is no connection. The driver has a line for each address and for
// each way to connect to it.
func reasonOf(err error) string {
	var server *pgconn.PgError
	var name *net.DNSError
	var system syscall.Errno
	var waits interface{ Timeout() bool }
	switch {
	case errors.As(err, &server):
		return server.Message
	case errors.As(err, &name):
		return "there is no host of that name"
	case errors.As(err, &system):
		return system.Error()
	case errors.As(err, &waits) && waits.Timeout():
		return "no answer in time"
	}
	text := strings.TrimSpace(err.Error())
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if _, cause, found := strings.Cut(text, "): "); found { // after the address
		text = cause
	}
	return text
}

// begin counts a call. The caller calls end after it.
func (s *Store) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *Store) end() { s.calls.Done() }

// commitGrace is how long Close waits for commits that the server does not confirm.
const commitGrace = 5 * time.Second

// Close implements [store.Store]. Close waits for the calls that are under way. A commit
// that the server does not confirm within five seconds after the last caller was answered is
// left to the server.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.watchers.Close()
		s.calls.Wait()
		ended := make(chan struct{})
		go func() {
			s.commits.Wait()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(commitGrace):
			s.log.Warn("postgres: closed while the server had not confirmed a commit")
		}
		s.kill()
		<-ended
		s.probe.Close()
		s.pool.Close()
	})
	return nil
}
