package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// Options of [NewPeople].
type Options struct {
	Sessions *auth.Sessions
	Door     *access.Door // to the memory of each tenant

	// Failures counts wrong keys by address.
	Failures *auth.Failures

	// Failed is told of each wrong key, with what Failures has said. nil: nobody is.
	Failed func(ctx context.Context, from netip.Addr, retryAfter time.Duration, counted bool)

	// Logger is told who signs in. nil: nobody is.
	Logger *slog.Logger

	// Address returns where a request comes from.
	Address func(context.Context) netip.Addr

	// Anonymous returns who somebody is who has not signed in. ok is false if the server
	// serves nobody without a key. Errors: [auth.ErrUnavailable]. nil: nobody.
	Anonymous func(context.Context) (c auth.Caller, ok bool, err error)
}

// People are those whom a server knows. They sign in with an API key. People implements
// [console.People] and is safe for concurrent use.
type People struct{ o Options }

// NewPeople returns the people of a server. All fields of the options but Failed, Logger
// and Anonymous must be there.
func NewPeople(o Options) *People {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &People{o}
}

// Person implements [console.People]. A person may do what the key may do at the moment.
func (p *People) Person(ctx context.Context, session string) (console.Person, error) {
	if session != "" {
		c, err := p.o.Sessions.Verify(ctx, session)
		if !errors.Is(err, auth.ErrUnknown) {
			return p.person(ctx, c, err)
		}
	}
	if p.o.Anonymous == nil {
		return console.Person{}, console.ErrSignedOut
	}
	c, ok, err := p.o.Anonymous(ctx)
	if err == nil && !ok {
		return console.Person{}, console.ErrSignedOut
	}
	person, err := p.person(ctx, c, err)
	if err == nil {
		person.Name, person.Open = "everybody on this machine", true
	}
	return person, err
}

// person returns a caller as a person, unless it cannot be said now who that is.
func (p *People) person(ctx context.Context, c auth.Caller, err error) (console.Person, error) {
	if err != nil {
		return console.Person{}, unavailable(err)
	}
	svc, err := p.o.Door.Tenant(ctx, c.Tenant)
	if err != nil {
		return console.Person{}, unavailable(err)
	}
	return console.Person{
		ID: c.ID, Name: cmp.Or(c.Name, "key "+c.Key), Key: c.Key,
		Read: c.Scopes.Has(auth.Read), Write: c.Scopes.Has(auth.Write), Admin: c.Scopes.Has(auth.Admin),
		Metrics: c.Scopes.Has(auth.Metrics),
		Agents:  c.Agents.Patterns(), Allow: c.Agents.Allow, Service: svc,
	}, nil
}

// SignIn implements [console.People]. An eleventh wrong key in a minute is a [console.Busy].
// A right key is never refused for the wrong ones of the same address.
func (p *People) SignIn(ctx context.Context, credential string) (session string, until time.Time, err error) {
	from := p.o.Address(ctx)
	leave, ok := p.o.Failures.Enter(ctx, from)
	if !ok {
		return "", time.Time{}, &console.Busy{After: time.Second, Text: "too many unknown keys come from your address"}
	}
	defer leave()
	session, c, until, err := p.o.Sessions.Begin(ctx, credential)
	switch {
	case errors.Is(err, auth.ErrUnknown):
		after, counted := p.o.Failures.Failed(from)
		if p.o.Failed != nil {
			p.o.Failed(ctx, from, after, counted)
		}
		if !counted {
			return "", time.Time{}, &console.Busy{After: after,
				Text: "this key is wrong, and too many wrong keys came from your address"}
		}
		return "", time.Time{}, console.ErrRefused
	case err != nil:
		return "", time.Time{}, unavailable(err)
	}
	p.o.Logger.InfoContext(ctx, "a person has signed in", "key", c.Key, "tenant", c.Tenant, "address", from)
	return session, until, nil
}

// SignOut implements [console.People]. After an error it has to be repeated.
func (p *People) SignOut(ctx context.Context, session string) error {
	return p.o.Sessions.End(ctx, session)
}

func unavailable(err error) error { return fmt.Errorf("%w: %v", console.ErrUnavailable, err) }
