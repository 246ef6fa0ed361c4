package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// serveCommand has the flags of a server on a network.
type serveCommand struct {
	Addr         string           `env:"SCRATCHPAD_ADDR" placeholder:"HOST:PORT"`
	NoAuth       bool             `name:"no-auth"`
	Rate         flags.ServerRate `default:"50" placeholder:"N[:BURST]"`
	RateAgent    flags.ServerRate `default:"100" placeholder:"N[:BURST]"`
	TLSCert      string           `name:"tls-cert" env:"SCRATCHPAD_TLS_CERT" type:"path" placeholder:"FILE"`
	TLSKey       string           `name:"tls-key" env:"SCRATCHPAD_TLS_KEY" type:"path" placeholder:"FILE"`
	TrustedProxy []flags.Network  `placeholder:"ADDRESS"`
	Host         []string         `placeholder:"NAME"`
	MetricsAddr  string           `placeholder:"HOST:PORT"`
	LogFormat    string           `enum:"text,json" default:"text"`
	LogLevel     slog.Level       `default:"info" placeholder:"debug|info|warn|error"`

	MaxReadTokens flags.Number `env:"SCRATCHPAD_MAX_READ_TOKENS" default:"20000" placeholder:"N"`
	Tools         toolSet      `env:"SCRATCHPAD_TOOLS" enum:"storage,memory,all" default:"storage"`

	OAuth oauthFlags `embed:"" prefix:"oauth-"`
}

// oauthFlags are the flags of an OAuth 2.1 resource server.
type oauthFlags struct {
	Issuer      string `placeholder:"URL" help:"Accept the OAuth access tokens of this issuer, beside keys."`
	Audience    string `placeholder:"NAME"`
	JWKSURL     string `name:"jwks-url" placeholder:"URL"`
	TenantClaim string `default:"tenant" placeholder:"NAME"`
	Resource    string `placeholder:"URL" help:"The URL that clients call. Default: the audience, if that is a URL."`
	AgentsClaim string `default:"agents" placeholder:"NAME"`
	ScopesClaim string `default:"scope" placeholder:"NAME"`
}

const defaultAddr = "127.0.0.1:4321"

// Validate is kong's hook.
func (c serveCommand) Validate() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together; give both")
	case (c.OAuth.Issuer == "") != (c.OAuth.Audience == ""):
		return errors.New("--oauth-issuer and --oauth-audience go together; give both")
	}
	return nil
}

// address returns where to listen.
func (c serveCommand) address() string {
	if c.Addr != "" {
		return c.Addr
	}
	if port := os.Getenv("PORT"); port != "" {
		return net.JoinHostPort("0.0.0.0", port)
	}
	return defaultAddr
}

// Run serves until a signal arrives.
func (c serveCommand) Run(p *process) (err error) {
	if p.line.Agent != nil {
		return invalid("--agent is for one agent, and a server has many; give a key that agent instead: scratchpad "+
			"keys create --agents %s", *p.line.Agent)
	}
	if p.line.Tenant != nil {
		return invalid("--tenant is for one tenant, and a server has all; leave it out, and make keys for that tenant "+
			"instead: scratchpad keys create --tenant %s --agents NAME", *p.line.Tenant)
	}
	path, err := p.databasePath(false)
	if err != nil {
		return err
	}
	listener, err := listen(p.ctx, c.address())
	if err != nil {
		return err
	}
	defer listener.Close()
	if c.NoAuth && !onLoopback(listener) {
		return invalid("--no-auth is for loopback addresses, because everybody who reaches %s could read everything; "+
			"leave it out and make keys: scratchpad keys create", listener.Addr())
	}
	if path == database.InMemory && c.OAuth.Issuer == "" && !c.NoAuth && !p.onTerminal() {
		return invalid("a database in memory has no keys, so nobody could be served; name a file with --db, or serve " +
			"everybody on this machine with --no-auth")
	}
	native.IgnorePipeSignal() // a log that nobody reads must not end the server
	p.log = c.logger(p)
	var why string
	if p.summarizer, why, err = p.line.Summaries.Choose(); err != nil {
		return err
	}
	p.saySummaries(why)
	s := &service{c: c, p: p}
	if err := s.observe(); err != nil {
		return err
	}
	p.summarizer = s.seen.Summarizer(p.summarizer)
	return p.use(p.opening(database.HandleOptions{Wrap: s.seen.Traced}),
		func(db *database.Handle) error { return s.serve(db, listener) })
}

// listen opens a port.
func listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, workspace.Errorf(workspace.ErrConflict,
			"%s is in use, perhaps by another scratchpad serve; stop it, or give another address with --addr", address)
	}
	if err != nil {
		return nil, invalid("%v; give HOST:PORT with --addr", err)
	}
	return l, nil
}

func onLoopback(l net.Listener) bool {
	a, ok := l.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// logger returns the log of a server. --debug logs everything.
func (c serveCommand) logger(p *process) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if p.line.Debug {
		o.Level = slog.LevelDebug
	}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.err, o))
	}
	return slog.New(slog.NewTextHandler(p.err, o))
}

// open returns what accepts the issuer's tokens, or nil if there is no issuer.
func (f oauthFlags) open(log *slog.Logger) (*oauth.Server, error) {
	if f.Issuer == "" {
		return nil, nil
	}
	s, err := oauth.New(oauth.Options{
		Issuer: f.Issuer, Audience: f.Audience, JWKSURL: f.JWKSURL, Resource: f.Resource,
		TenantClaim: f.TenantClaim, AgentsClaim: f.AgentsClaim, ScopesClaim: f.ScopesClaim, Logger: log,
	})
	if err != nil {
		return nil, invalid("%v", err)
	}
	return s, nil
}
