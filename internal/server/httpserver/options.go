package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New]. Many goroutines call its functions.
type Options struct {
	// MCP serves /mcp. The context of its requests carries the caller, see
	// [auth.FromContext], and the number of the request, see [RequestID]. nil: 404, and
	// there must be a Console.
	MCP http.Handler

	// MemoryStores serves /v1/memory_stores and all below it, as MCP serves /mcp. All errors
	// below /v1 are then in the form of that API, and a credential may also be in the header
	// x-api-key. nil: 404.
	MemoryStores http.Handler

	// Keys returns the owner of a credential that begins with "sp_", Tokens that of any
	// other. nil: there is no such credential.
	Keys, Tokens auth.Verifier

	// Known returns the owner of an API key that was verified before. Such a key is no guess.
	// ok is false for any other. nil: none is known.
	Known func(ctx context.Context, credential string) (c auth.Caller, ok bool)

	// KnownSession returns the owner of a session of the console that was found before. The
	// requests with its cookie count for the key, and those of others for their address. nil:
	// none is known.
	KnownSession func(ctx context.Context, session string) (c auth.Caller, ok bool)

	// Anonymous returns who sends a request without a credential. False: it needs one.
	// An error is answered with 503. It is not asked about a request that a proxy has passed
	// on, which needs a credential. nil: every request needs one.
	Anonymous func(context.Context) (c auth.Caller, ok bool, err error)

	// Failures counts wrong credentials by address. nil: nobody counts.
	Failures *auth.Failures

	// Rate limits the requests to /mcp and /v1 of each caller, and those to the console of each
	// person. All visitors of an address who are not signed in have four times that rate
	// together. AgentRate limits the calls that [Server.AdmitAgent] admits for each agent. The
	// zero Rate is 50 a second with a burst of 200, for agents 100 with a burst of 400. A negative
	// PerSecond is no limit.
	Rate, AgentRate auth.Rate

	// Ready returns nil while calls can be served, and returns when its context ends. The
	// answer is told to everybody who asks within a second. An error is logged, and its kind
	// alone is told. nil: always ready.
	Ready func(context.Context) error

	// Metrics serves /metrics to callers with the scope metrics, and all requests to
	// [Server.ServeMetrics]. nil: 404.
	Metrics http.Handler

	// ResourceMetadata serves /.well-known/oauth-protected-resource, and
	// ResourceMetadataURL is where clients find that. nil: 404.
	ResourceMetadata    http.Handler
	ResourceMetadataURL string

	// Console serves the pages for people: every path that nothing else has. It finds out
	// itself who sends a request. The context has where the request comes from, see
	// [OriginOf]. nil: 404.
	Console http.Handler

	// Visited is told of each request to the console when it has ended. nil: nobody is.
	Visited func(context.Context, Visit)

	// Hosts are names, without a port, by which clients may call the server on a loopback
	// address, besides localhost and loopback addresses. On other addresses clients may
	// use any name. They are also names for [Server.ServeMetrics], on every address.
	Hosts []string

	// TrustedProxies are the addresses whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix

	// TLSCert and TLSKey are PEM files. They are read again when they change. Both "": no
	// TLS.
	TLSCert, TLSKey string

	// MaxConnections limits open connections. 0: 4,096. It is never more than the process may
	// have open files, less 64. Calls of one key may use an eighth of it, those of one tenant
	// three eighths, and all calls seven eighths. The rest is for those who connect, for health
	// and for metrics.
	MaxConnections int

	Logger *slog.Logger // nil: slog.Default
}

const (
	maxConnections     = 4096
	otherFiles         = 64 // files that a process opens besides connections
	metricsConnections = 64
	maxHeader          = 64 << 10
)

var (
	callerRate = auth.Rate{PerSecond: 50, Burst: 200}
	agentRate  = auth.Rate{PerSecond: 100, Burst: 400}
)

// limits are times that the tests change.
type limits struct {
	header  time.Duration // for the head of a request, and for a TLS handshake
	idle    time.Duration // of a connection between requests
	read    time.Duration // for a request to arrive; the handlers give most bodies less
	skip    time.Duration // for the rest of a body that nobody reads
	answer  time.Duration // for a client to take an answer; the handler of MCP has its own
	drain   time.Duration // for the calls under way at a stop
	linger  time.Duration // for the last answers to be written, after that
	ready   time.Duration // for one check
	fresh   time.Duration // how long the result of a check is told
	reading time.Duration // between two looks at the TLS files
	form    time.Duration // for a form to arrive
	formMiB time.Duration // and for each MiB of it
}

var defaultLimits = limits{
	header: 5 * time.Second, idle: 2 * time.Minute, read: 30 * time.Second, skip: time.Second, answer: time.Minute,
	drain: 8 * time.Second, linger: 500 * time.Millisecond, // 9 seconds with both lingers
	ready: 5 * time.Second, fresh: time.Second, reading: 3 * time.Second,
	form: 10 * time.Second, formMiB: time.Second,
}

// complete returns the options with their defaults.
func (o Options) complete() (Options, error) {
	invalid := func(format string, args ...any) (Options, error) {
		return o, fmt.Errorf("httpserver: Options."+format+": %w", append(args, workspace.ErrInvalid)...)
	}
	switch {
	case o.MCP == nil && o.Console == nil:
		return invalid("MCP and Console are nil")
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return invalid("TLSCert and TLSKey: give both")
	case o.MaxConnections < 0:
		return invalid("MaxConnections is %d", o.MaxConnections)
	case o.ResourceMetadata != nil && o.ResourceMetadataURL == "":
		return invalid("ResourceMetadataURL is empty")
	case strings.ContainsAny(o.ResourceMetadataURL, "\"\\\r\n"):
		return invalid("ResourceMetadataURL has a quote, a backslash or a line break")
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = maxConnections
	}
	o.MaxConnections = min(o.MaxConnections, max(1, native.MaxFiles()-otherFiles))
	if o.Rate == (auth.Rate{}) {
		o.Rate = callerRate
	}
	if o.AgentRate == (auth.Rate{}) {
		o.AgentRate = agentRate
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}
