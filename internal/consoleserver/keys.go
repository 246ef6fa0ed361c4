package consoleserver

import (
	"context"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/access"
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/signin"
)

// KeyOptions are what a server has whose people sign in with API keys. All fields but
// Failed, Logger and MetadataURL must be there.
type KeyOptions struct {
	Keys     *auth.Keys
	Door     *access.Door
	Failures *auth.Failures // of signing in alone

	// Anonymous returns who needs no key. It is not asked about requests that a proxy has
	// passed on, which all need one.
	Anonymous func(context.Context) (c auth.Caller, ok bool, err error)

	// Failed is told of each wrong key, see [httpserver.Server.NoteFailed].
	Failed func(ctx context.Context, from netip.Addr, retryAfter time.Duration, counted bool)

	// Logger is told who signs in. nil: nobody is.
	Logger *slog.Logger

	// MetadataURL is that of OAuth, by which the server has a name. "": the browser's name
	// for it counts.
	MetadataURL string
}

// People returns who may use the console.
func (o KeyOptions) People() console.People {
	return signin.NewPeople(signin.Options{
		Sessions: o.Keys.Sessions(), Door: o.Door, Failures: o.Failures, Failed: o.Failed, Logger: o.Logger,
		Address: func(ctx context.Context) netip.Addr { return httpserver.OriginOf(ctx).Address },
		Anonymous: func(ctx context.Context) (auth.Caller, bool, error) {
			if httpserver.OriginOf(ctx).Forwarded {
				return auth.Caller{}, false, nil
			}
			return o.Anonymous(ctx)
		},
	})
}

// PeopleKeys returns the keys that people manage: those of their own tenant.
func (o KeyOptions) PeopleKeys() *signin.Keys { return signin.NewKeys(o.Keys, "") }

// openWait is how long Config waits for the store.
const openWait = 5 * time.Second

// Admit returns what is for [console.Options].Admit, of a server's AdmitPerson.
func Admit(admit func(ctx context.Context, id, key string) (retryAfter time.Duration, ok bool)) func(context.Context, console.Person) error {
	return func(ctx context.Context, p console.Person) error {
		if after, ok := admit(ctx, p.ID, p.Key); !ok {
			return &console.Busy{After: after, Text: "too many requests"}
		}
		return nil
	}
}

// Config is for [console.Options].Config. The name of the server is that of its OAuth
// resource, or the one that the browser has.
func (o KeyOptions) Config(ctx context.Context, _, key string) []console.Config {
	at, err := clientconfig.ParseURL(o.base(ctx))
	if err != nil {
		return nil // no client would take the name
	}
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	_, open, err := o.Anonymous(ctx)
	return RemoteConfigs(at, key != "" || !open || err != nil || httpserver.OriginOf(ctx).Forwarded, key)
}

// base returns the address of the server without a path.
func (o KeyOptions) base(ctx context.Context) string {
	if u, err := url.Parse(o.MetadataURL); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return strings.TrimSuffix(httpserver.OriginOf(ctx).URL, "/")
}
