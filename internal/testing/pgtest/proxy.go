package pgtest

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Proxy stands between clients and a server. It reads PostgreSQL's protocol, counts
// round trips, and breaks connections as the test says. It listens on 127.0.0.1. It is
// safe for concurrent use.
type Proxy struct {
	network, address string // of the server
	database, user   string
	listener         net.Listener
	done             chan struct{} // closed at the end of the test
	connections      sync.WaitGroup

	fault   atomic.Pointer[func(Batch) Fault]
	latency atomic.Int64

	roundTrips, cancels atomic.Int64

	mu   sync.Mutex // guards live
	live map[*link]bool
}

// A Batch is what a client sends before it waits for the server: a query of the simple
// protocol, or the messages up to a Sync or a Flush.
type Batch struct {
	Startup   bool     // the connection's first message; it has no SQL
	RoundTrip bool     // the batch begins a round trip, as RoundTrips counts them
	SQL       []string // the text of each statement that runs, in order
	Commit    bool     // one of the statements is COMMIT
}

// An Action is what the proxy does with a batch.
type Action int

const (
	// Pass forwards the batch and its answer.
	Pass Action = iota

	// CutBefore resets the connection. The server gets nothing of the batch.
	CutBefore

	// CutAfter forwards the batch and resets the connection at once, without a byte of the
	// answer. The server may have run the batch, a part of it, or nothing.
	CutAfter

	// CutAnswer forwards the batch, waits for the whole answer, and resets the connection
	// without a byte of the answer. The server has run the batch.
	CutAnswer

	// HalfOpenBefore forwards neither the batch nor anything after it. The connection
	// stays open on both sides.
	HalfOpenBefore

	// HalfOpenAnswer forwards the batch and nothing of the answer nor anything after it.
	// The connection stays open on both sides.
	HalfOpenAnswer
)

// A Fault is an Action for one batch. The zero Fault passes it on.
type Fault struct {
	Do Action

	// Delay holds back the answer of a batch that is passed.
	Delay time.Duration

	// Code is the SQLSTATE of an error that the client gets for a COMMIT of a batch that is
	// passed. The server has committed. "": the client gets the server's answer.
	Code string
}

// NewProxy starts a proxy in front of a server. If the URL names several servers, the
// proxy uses the first. The proxy ends with the test.
func NewProxy(t testing.TB, databaseURL string) *Proxy {
	t.Helper()
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{
		database: config.Database,
		user:     config.User,
		listener: listener,
		done:     make(chan struct{}),
		live:     map[*link]bool{},
	}
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	p.connections.Go(p.accept)
	t.Cleanup(func() {
		close(p.done)
		listener.Close()
		p.Reset()
		p.connections.Wait()
	})
	return p
}

// URL returns the URL of the database behind the proxy.
func (p *Proxy) URL() string {
	return "postgres://" + p.user + "@" + p.listener.Addr().String() + "/" + p.database + "?sslmode=disable"
}

// Break sets what chooses the fault of each batch from now on. It is called by several
// goroutines at a time, and may wait, which holds back the batch. With nil all batches
// pass.
func (p *Proxy) Break(choose func(Batch) Fault) {
	if choose == nil {
		p.fault.Store(nil)
		return
	}
	p.fault.Store(&choose)
}

// Delay adds a latency to each round trip from now on.
func (p *Proxy) Delay(d time.Duration) { p.latency.Store(int64(d)) }

// Reset resets all connections, those that are half open too.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.live {
		l.cut()
	}
}

// RoundTrips returns the number of times that a client sent something after the server
// had. The start of a connection and its end count as none. If a client sends several
// batches without waiting, they are one round trip, if Delay adds enough latency that
// the proxy has all of them before it forwards an answer.
func (p *Proxy) RoundTrips() int64 { return p.roundTrips.Load() }

// Cancels returns the number of requests to cancel a query.
func (p *Proxy) Cancels() int64 { return p.cancels.Load() }

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // the test has ended
		}
		p.connections.Go(func() { p.serve(client) })
	}
}

// serve runs one connection to its end.
func (p *Proxy) serve(client net.Conn) {
	l := &link{proxy: p, client: client, ended: make(chan struct{})}
	defer l.end()
	p.mu.Lock()
	p.live[l] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.live, l)
		p.mu.Unlock()
	}()
	select {
	case <-p.done:
	default:
		l.run()
	}
}

func (p *Proxy) choose(b Batch) Fault {
	if f := p.fault.Load(); f != nil {
		return (*f)(b)
	}
	return Fault{}
}

// sleep waits for a time, or until the test ends.
func (p *Proxy) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-p.done:
	}
}
