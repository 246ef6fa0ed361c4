package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/observe/telemetry"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A service is everything behind a listener.
type service struct {
	c      serveCommand
	p      *process
	store  workspace.Store
	base   *workspace.Service
	door   *access.Door
	keys   *auth.Keys
	tokens *oauth.Server // nil: there is no issuer
	mcp    *mcpserver.Server
	http   *httpserver.Server
	seen   *telemetry.Telemetry
}

// serve serves the connections of a listener over a database until a signal arrives.
func (s *service) serve(db *database.Handle, l net.Listener) (err error) {
	s.store = db.Store()
	s.keys = auth.NewKeys(db.Store(), auth.Options{Limits: s.p.line.StoreLimits.Options(), Logger: s.p.log})
	defer func() { err = errors.Join(err, s.close()) }()
	s.base = db.Opened()
	s.door = access.New(s.base, s.limits)
	if s.tokens, err = s.c.OAuth.open(s.p.log); err != nil {
		return err
	}
	if s.mcp, err = mcpserver.New(s.mcpOptions()); err != nil {
		return err
	}
	o := s.httpOptions()
	if o.Console, err = console.New(s.consoleOptions()); err != nil {
		return err
	}
	if s.http, err = httpserver.New(o); err != nil {
		return err
	}
	s.warnOfClearText(l)
	if err := s.greet(l); err != nil {
		return err
	}
	defer s.sayNeighbour()()
	defer context.AfterFunc(s.p.ctx, s.mcp.CancelAbandoned)()
	servers, ctx := errgroup.WithContext(s.p.ctx)
	servers.Go(func() error { return s.http.Serve(ctx, l) })
	servers.Go(func() error { return s.dropExpired(ctx) })
	if s.c.MetricsAddr != "" {
		servers.Go(func() error { return s.serveMetrics(ctx) })
	}
	return servers.Wait()
}

// dropExpired removes what is kept of deleted files after its time, at the start and every hour.
func (s *service) dropExpired(ctx context.Context) error {
	every := time.NewTicker(time.Hour)
	defer every.Stop()
	for {
		_, err := workspace.DropExpired(ctx, s.store, time.Now(), false)
		if err != nil && ctx.Err() == nil {
			s.p.log.Warn("deleted files are still stored after their time", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}

// close waits for the calls under way, and writes when keys were used last.
func (s *service) close() error {
	if s.mcp != nil {
		s.mcp.Close()
	}
	if s.tokens != nil {
		s.tokens.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.keys.Close(ctx); err != nil {
		s.p.log.Warn("when keys were used last is not written", "err", err)
	}
	return s.seen.Close(ctx)
}

// observe begins to observe the calls of the server.
func (s *service) observe() error {
	o := telemetry.Options{
		Calls: s.p.log, Logger: s.p.log, RequestID: httpserver.RequestID,
		HTTP: func() httpserver.Stats { return s.http.Stats() },
		MCP:  func() mcpserver.Stats { return s.mcp.Stats() },
	}
	if name, err := s.p.databasePath(false); err == nil && pgurl.Is(name) {
		o.Postgres = func() postgres.Stats { return s.store.(*postgres.Store).Stats() }
	} else {
		o.Store = func() sqlite.Stats {
			if store, ok := s.store.(*sqlite.Store); ok {
				return store.Stats()
			}
			return sqlite.Stats{} // in memory
		}
	}
	var err error
	s.seen, err = telemetry.New(o)
	return err
}

// limits returns the limits of a tenant. Those that were not set for it are the flags'.
func (s *service) limits(ctx context.Context, tenant string) (workspace.StoreLimits, error) {
	l, err := s.keys.Tenants().Limits(ctx, tenant)
	if err != nil {
		s.p.log.Warn("the limits of a tenant cannot be read", "tenant", tenant, "err", err)
		return workspace.StoreLimits{}, workspace.Errorf(workspace.ErrBusy,
			"the limits of the tenant cannot be read now; try again")
	}
	return workspace.StoreLimits{Agents: l.Agents, Bytes: l.Bytes}, nil
}

func (s *service) mcpOptions() mcpserver.Options {
	return mcpserver.Options{
		Tools: s.c.Tools.tools(), Version: build(), Logger: s.p.log, Summarizer: s.p.summarizer,
		MaxReadTokens: int(s.c.MaxReadTokens),
		IsBound: func(ctx context.Context) bool {
			c, _ := auth.FromContext(ctx)
			_, bound := c.Agents.Only()
			return bound
		},
		Around: s.seen.Around, AroundWork: s.seen.AroundWork,
		Caller: callerID, Group: tenantOf,
		Admit: s.admit,
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			return s.door.Workspace(ctx, call.AgentID, needs(call))
		},
	}
}

// needs returns the scopes that the caller of a call must have.
func needs(call mcpserver.Call) (s auth.Scopes) {
	if call.Read {
		s |= auth.Read
	}
	if call.Write {
		s |= auth.Write
	}
	return s
}

// callerID names the owner of a session. Those who may only see what there is share one.
func callerID(ctx context.Context) string {
	if c, ok := auth.FromContext(ctx); ok {
		return c.ID
	}
	return "nobody"
}

// tenantOf names the callers who share memory. Those without a tenant are one.
func tenantOf(ctx context.Context) string {
	c, _ := auth.FromContext(ctx)
	return "tenant " + c.Tenant
}

// admit holds a call against the rate of its agent. Whoever may not use an agent does not
// count against it.
func (s *service) admit(ctx context.Context, call mcpserver.Call) error {
	c, ok := auth.FromContext(ctx)
	agent := call.AgentID
	if only, bound := c.Agents.Only(); agent == "" && bound {
		agent = only
	}
	if !ok || agent == "" || !c.Agents.Allow(agent) {
		return nil
	}
	if after, ok := s.http.AdmitAgent(ctx, c.Tenant, agent); !ok {
		return &mcpserver.Busy{After: after, Text: "too many calls for this agent"}
	}
	return nil
}

func (s *service) httpOptions() httpserver.Options {
	o := httpserver.Options{
		Visited: s.seen.Visited, MCP: s.seen.Trace(s.mcp.Handler()), MemoryStores: s.seen.Trace(s.memoryStores()),
		Metrics: s.seen.Metrics(), Keys: s.keys.Verify, Known: s.keys.Known, KnownSession: s.keys.Sessions().Known,
		Anonymous: s.anonymous,
		Failures:  auth.NewFailures(nil), Rate: s.c.Rate.Rate, AgentRate: s.c.RateAgent.Rate,
		Ready: s.ready, Hosts: s.c.Host, TrustedProxies: flags.Prefixes(s.c.TrustedProxy),
		TLSCert: s.c.TLSCert, TLSKey: s.c.TLSKey, Logger: s.p.log,
	}
	if s.tokens != nil {
		o.Tokens = s.tokens.Verify
		if url := s.tokens.MetadataURL(); url != "" {
			o.ResourceMetadata, o.ResourceMetadataURL = s.tokens.Metadata(), url
		}
	}
	return o
}

// anonymous lets in who has no credential, with --no-auth.
func (s *service) anonymous(context.Context) (c auth.Caller, ok bool, err error) {
	if !s.c.NoAuth {
		return c, false, nil
	}
	all, err := auth.ParseAgents("*")
	return auth.Caller{ID: "local", Tenant: defaultTenant, Agents: all, Scopes: auth.Read | auth.Write,
		Rate: auth.Rate{PerSecond: -1}}, true, err
}

// ready returns nil if the store answers and takes writes.
func (s *service) ready(ctx context.Context) error {
	if store, ok := s.store.(interface{ Ready(context.Context) error }); ok {
		return store.Ready(ctx)
	}
	_, err := s.store.System(ctx).Now()
	return err
}

// serveMetrics serves /metrics to everybody on an address of its own.
func (s *service) serveMetrics(ctx context.Context) error {
	l, err := listen(ctx, s.c.MetricsAddr)
	if err != nil {
		return err
	}
	name, _, _ := net.SplitHostPort(s.c.MetricsAddr) // it listens, so it has a port
	return s.http.ServeMetrics(ctx, l, name)
}

// sayNeighbour warns if another server has the database, which works, but each then holds
// calls against the limits alone.
func (s *service) sayNeighbour() (leave func()) {
	path, err := s.p.storedDatabase()
	if err != nil || pgurl.Is(path) {
		return func() {} // in memory, or made for several
	}
	leave, held, err := native.TryLock(path + "-serve")
	switch {
	case errors.Is(err, native.ErrNotOwn):
		s.p.log.Warn("no look for another server", "err", err)
	case err != nil:
		s.p.log.Debug("no look for another server", "err", err)
	case held:
		s.p.log.Warn("another scratchpad serve has this database open; both work, but each counts rates and sessions " +
			"for itself")
	}
	return leave
}

// warnOfClearText warns once if keys may cross a network in clear text. --trusted-proxy says
// that a proxy with TLS is in front.
func (s *service) warnOfClearText(l net.Listener) {
	if s.c.TLSCert == "" && len(s.c.TrustedProxy) == 0 && !onLoopback(l) {
		s.p.log.Warn("keys cross the network in clear text, because this server has no TLS; give --tls-cert and " +
			"--tls-key, or put a proxy with TLS in front and name it with --trusted-proxy")
	}
}

// greet says on standard error where the server listens, what it serves, who may call, and
// how a client gets there.
func (s *service) greet(l net.Listener) error {
	name, err := s.p.databasePath(false)
	if err != nil {
		return err
	}
	scheme, host := "http", l.Addr().String()
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = net.JoinHostPort(name, fmt.Sprint(a.Port))
		}
	}
	if s.c.TLSCert != "" {
		scheme = "https"
	}
	any, err := s.keys.Any(s.p.ctx)
	if err != nil {
		return err
	}
	var who, first string
	switch {
	case s.c.NoAuth:
		who = "everybody on this machine, without a key (--no-auth)"
	case s.tokens != nil && any:
		who = "callers with a key, or with a token of " + s.c.OAuth.Issuer
	case s.tokens != nil:
		who = "callers with a token of " + s.c.OAuth.Issuer
	case any:
		who = "callers with a key; scratchpad keys ls lists them"
	case s.p.onTerminal():
		who = "callers with the key below"
		if first, err = s.firstKey(); err != nil {
			return err
		}
	default:
		who = "nobody yet; make a key: scratchpad keys create --name NAME --agents AGENT"
	}
	url := fmt.Sprintf("%s://%s/mcp", scheme, host)
	_ = s.p.note(`serving %s
  database  %s, %s
  callers   %s
  clients   scratchpad client-config claude-code --url %s
  console   %s://%s/
%sCtrl-C stops the server
`, url, terminal.OneLine(pgurl.Short(name)), s.durability(), who, url, scheme, host, first)
	return nil // without a log the server works all the same
}

// durability says what an acknowledged write survives.
func (s *service) durability() string {
	store, ok := s.store.(*postgres.Store)
	if !ok {
		return "durability full"
	}
	ctx, cancel := context.WithTimeout(s.p.ctx, 5*time.Second)
	defer cancel()
	info, err := store.Info(ctx)
	switch {
	case err != nil:
		return "durability not known: " + terminal.OneLine(err.Error())
	case info.NotDurable != nil:
		return "NOT DURABLE: " + strings.Join(info.NotDurable, "; ")
	}
	for _, standby := range info.Standbys {
		if standby.Sync == "sync" || standby.Sync == "quorum" {
			return "durability full, with a synchronous standby"
		}
	}
	return "durability full, on one server"
}
