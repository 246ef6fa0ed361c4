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
	// MCP serves /mcp. The context of its requests has the caller, see [auth.FromContext], and
	// the id of the request, see [RequestID]. nil: /mcp is 404, and Console must be set.
	MCP http.Handler

	// MemoryStores serves /v1/memory_stores and all paths below it, as MCP serves /mcp. All
	// errors below /v1 then have the form of that API, and a credential may also be in the
	// header x-api-key. nil: 404.
	MemoryStores http.Handler

	// Keys returns the owner of a credential that begins with "sp_". Tokens returns the owner
	// of any other credential. nil: all such credentials are wrong.
	Keys, Tokens auth.Verifier

	// Known returns the owner of an API key that was verified before. Such a key is not a guess.
	// For any other key, ok is false. nil: no key is known.
	Known func(ctx context.Context, credential string) (c auth.Caller, ok bool)

	// KnownSession returns the owner of a session of the console that was found before. A request
	// with the cookie of a known session counts for the session's key. Any other request counts
	// for its address. nil: no session is known.
	KnownSession func(ctx context.Context, session string) (c auth.Caller, ok bool)

	// Anonymous returns the caller of a request without a credential. If ok is false, the
	// request needs a credential. For an error, the answer is 503. A request that a proxy has
	// passed on always needs a credential, so Anonymous is not called for it. nil: every
	// request needs a credential.
	Anonymous func(context.Context) (c auth.Caller, ok bool, err error)

	// Failures counts wrong credentials by address. nil: wrong credentials are not counted.
	Failures *auth.Failures

	// Rate limits the requests of each caller to /mcp and /v1, and the requests of each person to
	// the console. All visitors of an address who are not signed in have four times that rate
	// together. AgentRate limits the calls that [Server.AdmitAgent] admits for each agent. A zero
	// Rate is 50 a second with a burst of 200. A zero AgentRate is 100 a second with a burst of
	// 400. A negative PerSecond means no limit.
	Rate, AgentRate auth.Rate

	// Ready returns nil if calls can be served. It must return when its context ends. One answer
	// serves all requests of a second. If Ready returns an error, the server logs the error, and
	// shows its kind alone. nil: always ready.
	Ready func(context.Context) error

	// Metrics serves /metrics to callers with the scope metrics, and all requests to
	// [Server.ServeMetrics]. nil: 404.
	Metrics http.Handler

	// ResourceMetadata serves /.well-known/oauth-protected-resource. ResourceMetadataURL is the
	// URL of that path for clients. nil: 404.
	ResourceMetadata    http.Handler
	ResourceMetadataURL string

	// Console serves the pages for people, at all paths without another handler. Console finds
	// out itself who sends a request. The context has the origin of the request, see
	// [OriginOf]. nil: 404.
	Console http.Handler

	// Visited is called after each request to the console. nil: nothing is called.
	Visited func(context.Context, Visit)

	// Hosts are names without a port. On a loopback address, clients may call the server by these
	// names, by localhost and by loopback addresses. On other addresses, clients may use any
	// name. [Server.ServeMetrics] accepts Hosts on every address.
	Hosts []string

	// TrustedProxies are the addresses whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix

	// TLSCert and TLSKey are names of PEM files. The server reads the files again when they
	// change. Both "": no TLS.
	TLSCert, TLSKey string

	// MaxConnections limits open connections. 0: 4,096. New lowers it to the number of files that
	// the process may open, less 64. Calls of one key may use an eighth of MaxConnections, calls
	// of one tenant three eighths, and all calls seven eighths. The rest is for new connections,
	// for health and for metrics.
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
