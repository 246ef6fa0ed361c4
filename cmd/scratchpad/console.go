package main

import (
	"cmp"
	"context"
	"errors"
	"os/signal"
	"syscall"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
)

type consoleCommand struct {
	Addr   string     `default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	Idle   flags.Span `placeholder:"TIME"`
	NoOpen bool       `name:"no-open" help:"Print the link, and do not open it in the browser."`
}

// consoleAnswer is the answer of the command.
type consoleAnswer struct {
	URL      string `json:"url"`
	Database string `json:"database"`
	Tenant   string `json:"tenant"`
}

// Run serves until a signal arrives, the terminal closes, or nobody is there.
func (c consoleCommand) Run(p *process) error {
	name, err := p.storedDatabase()
	if err != nil {
		return err
	}
	if _, _, err := p.agentName(); err != nil {
		return err
	}
	tenant, _, err := p.tenantName()
	if err != nil {
		return err
	}
	listener, err := listen(p.ctx, c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	if !onLoopback(listener) {
		return invalid("scratchpad console has no keys, so it is for this machine only, and %s is not; leave --addr "+
			"out, or let people sign in with keys: scratchpad serve --addr %s", listener.Addr(), c.Addr)
	}
	native.IgnorePipeSignal()
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		var stop func()
		p.ctx, stop = signal.NotifyContext(p.ctx, syscall.SIGHUP)
		defer stop()
	}
	s := &localConsole{c: c, p: p, name: name, tenant: tenant}
	open := p.opening(database.HandleOptions{Unwritable: func(why error) {
		s.readOnly = true
		p.sayUnwritable(why)
	}})
	return p.use(open, func(db *database.Handle) (err error) {
		if err := s.open(db); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		if err := s.greet(s.link(listener.Addr())); err != nil {
			return err
		}
		idle, err := s.serve(listener)
		if idle {
			p.note("nobody was there for %v, and the console has ended\n", c.Idle)
		}
		return err
	})
}

// A localConsole is a console over one database, for one person on this machine, who comes
// by a link.
type localConsole struct {
	c        consoleCommand
	p        *process
	name     string // of the database
	tenant   string
	readOnly bool // nothing can be stored

	keys  *auth.Keys
	token string // of the link
	pages *console.Handler
	http  *httpserver.Server
}

// open makes the pages over an open database.
func (s *localConsole) open(db *database.Handle) (err error) {
	s.keys = auth.NewKeys(db.Store(), auth.Options{Limits: s.p.line.StoreLimits.Options()})
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	link, token := signin.NewLink(db.Opened())
	s.token = token
	o := console.Options{
		Version: version(), People: sameUser{link, s.p.log}, Link: "scratchpad console",
		Keys:   signin.NewKeys(s.keys, s.tenant),
		Config: s.config, Project: projectOf(db.Store()),
		Admit: admitPerson(func() *httpserver.Server { return s.http }), Logger: s.p.log,
		Health: serverHealth(s.p.ctx, healthOptions{store: db.Store(), pool: s.p.line.Postgres.Options(),
			doctor: s.p.openDoctor()}),
	}
	if s.readOnly {
		o.People = onlyReader{o.People}
	}
	if s.pages, err = console.New(o); err != nil {
		return err
	}
	s.http, err = httpserver.New(httpserver.Options{Console: s.pages, Logger: s.p.log})
	return err
}

func (s *localConsole) close() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.p.ctx), 2*time.Second)
	defer cancel()
	return s.keys.Close(ctx)
}

// greet prints the link, and opens it in the browser if somebody sits at the terminal.
func (s *localConsole) greet(link string) error {
	a := consoleAnswer{URL: link, Database: pgurl.Short(s.name), Tenant: s.tenant}
	if err := s.p.say(a, "%s", link); err != nil {
		return err
	}
	how := "Open the link above in a browser on this machine."
	if !s.c.NoOpen && terminal.Is(s.p.out) && native.OpenBrowser(link) == nil {
		how = "The link above opens in the browser."
	}
	s.p.note("%s It works once.\n  database  %s\nCtrl-C ends the console\n", how, terminal.OneLine(a.Database))
	return nil
}

// config returns what connects clients to the database: as a program that they start, or
// with a key to the server that it needs.
func (s *localConsole) config(_ context.Context, agent, key string) []console.Config {
	if key != "" {
		server := console.Config{Client: "The server", Where: "run this where it is to be", Text: "scratchpad serve\n"}
		return append([]console.Config{server}, remoteConfigs("http://"+defaultAddr+"/mcp", true, key)...)
	}
	if s.p.line.DB != nil && pgurl.HasSecret(*s.p.line.DB) {
		return nil // the password would stand in the file
	}
	m := clientconfig.Memory{Agent: cmp.Or(agent, defaultAgent)}
	if s.p.line.Tenant != nil {
		m.Tenant = *s.p.line.Tenant
	}
	server, err := s.p.server(m, clientReadTokens)
	if err != nil {
		return nil
	}
	if native.IsTemporary(server.Command) {
		server.Command = "scratchpad"
	}
	return localConfigs(server)
}

// clientReadTokens is what client-config limits read_file to.
const clientReadTokens = 20000
