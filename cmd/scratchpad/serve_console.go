package main

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
)

// consoleOptions returns the options of the pages for people, who sign in with a key.
func (s *service) consoleOptions() console.Options {
	server := func() *httpserver.Server { return s.http } // is made later
	return console.Options{
		Version: version(), Keys: signin.NewKeys(s.keys, ""), Config: s.consoleConfig,
		Project: projectOf(s.store), Admit: admitPerson(server),
		Logger: s.p.log,
		People: signin.NewPeople(signin.Options{
			Sessions: s.keys.Sessions(), Door: s.door, Failures: auth.NewFailures(nil), Logger: s.p.log,
			Failed: func(ctx context.Context, from netip.Addr, after time.Duration, counted bool) {
				s.http.NoteFailed(ctx, from, after, counted)
			},
			Address: func(ctx context.Context) netip.Addr { return httpserver.OriginOf(ctx).Address },
			Anonymous: func(ctx context.Context) (auth.Caller, bool, error) {
				if httpserver.OriginOf(ctx).Forwarded { // by a proxy, whose callers all need a key
					return auth.Caller{}, false, nil
				}
				return s.anonymous(ctx)
			},
		}),
		Health: serverHealth(s.p.ctx, healthOptions{
			store: s.store, pool: s.p.line.Postgres.Options(), doctor: s.p.openDoctor(),
			http: func() httpserver.Stats { return s.http.Stats() }, mcp: s.mcp.Stats,
		}),
	}
}

// admitPerson returns the function for Admit of [console.Options]: the server counts the
// requests of a person.
func admitPerson(server func() *httpserver.Server) func(context.Context, console.Person) error {
	return func(ctx context.Context, p console.Person) error {
		if after, ok := server().AdmitPerson(ctx, p.ID, p.Key); !ok {
			return &console.Busy{After: after, Text: "too many requests"}
		}
		return nil
	}
}

// consoleConfig returns what connects clients to the server. Its name is that of its OAuth
// resource, or the one that the browser has.
func (s *service) consoleConfig(ctx context.Context, _, key string) []console.Config {
	origin, metadata := httpserver.OriginOf(ctx), ""
	if s.tokens != nil {
		metadata = s.tokens.MetadataURL()
	}
	return remoteConfigs(serverURL(metadata, origin.URL)+"/mcp", key != "" || !s.c.NoAuth || origin.Forwarded, key)
}

// serverURL returns the address of the server without a path.
func serverURL(metadata, origin string) string {
	if u, err := url.Parse(metadata); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return strings.TrimSuffix(origin, "/")
}
