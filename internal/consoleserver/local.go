package consoleserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/host"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/signin"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// LocalOptions are those of [NewLocal]. Service, Keys and Tenant must be there.
type LocalOptions struct {
	Version string
	Command string // prints the link; the console names it

	Service  *workspace.Service // of the tenant
	Tenant   string
	Keys     *auth.Keys
	ReadOnly bool // nothing can be stored

	Config func(agent, key string) []console.Config // as in console.Options; nil: none
	Health func(context.Context) (console.Health, error)
	Logger *slog.Logger

	// Idle ends the console after so long without a request and an open page. 0: never.
	Idle time.Duration
}

// A Local is a console for one person on this machine, who comes by a link.
type Local struct {
	o     LocalOptions
	token string
	pages *console.Handler
	http  *httpserver.Server
}

// NewLocal returns a console that serves nobody yet. Errors: [workspace.ErrInvalid].
func NewLocal(o LocalOptions) (l *Local, err error) {
	link, token := signin.NewLink(o.Service)
	l = &Local{o: o, token: token}
	p := console.Options{Version: o.Version, People: sameUser{link, o.Logger}, Link: o.Command, Keys: signin.NewKeys(o.Keys, o.Tenant), Health: o.Health, Logger: o.Logger}
	p.Admit = Admit(func(ctx context.Context, id, key string) (time.Duration, bool) {
		return l.http.AdmitPerson(ctx, id, key)
	})
	if o.ReadOnly {
		p.People = reader{p.People}
	}
	if o.Config != nil {
		p.Config = func(_ context.Context, agent, key string) []console.Config { return o.Config(agent, key) }
	}
	if l.pages, err = console.New(p); err != nil {
		return nil, err
	}
	l.http, err = httpserver.New(httpserver.Options{Console: l.pages, Logger: o.Logger})
	return l, err
}

// sameUser lets nobody in but the user whose console it is, where the system tells who is at
// the other end of a connection. Others may see the link in the list of processes while the
// browser starts. It stays good for its owner then.
type sameUser struct {
	console.People
	log *slog.Logger
}

// SignIn implements [console.People].
func (s sameUser) SignIn(ctx context.Context, token string) (session string, until time.Time, err error) {
	o := httpserver.OriginOf(ctx)
	if uid, ok := host.SocketUser(o.Client, o.Server); ok && !isUser(uid) {
		s.log.WarnContext(ctx, "another user has tried the link", "uid", uid)
		return "", time.Time{}, console.ErrRefused
	}
	return s.People.SignIn(ctx, token)
}

// isUser reports whether a user is that of this process, or the one who became root to start
// it, or root, who may do everything anyway.
func isUser(uid int) bool {
	return uid == os.Getuid() || uid == 0 || strconv.Itoa(uid) == os.Getenv("SUDO_UID")
}

// reader lets nobody change what cannot be stored.
type reader struct{ console.People }

func (r reader) Person(ctx context.Context, session string) (console.Person, error) {
	p, err := r.People.Person(ctx, session)
	p.Write = false
	return p, err
}

// URL returns the link to the console at an address, which lets one browser in, once. The
// browser then shows a page, such as "/".
func (l *Local) URL(at net.Addr, page string) string {
	q := url.Values{"token": {l.token}}
	if page != "" && page != "/" {
		q.Set("next", page)
	}
	return (&url.URL{Scheme: "http", Host: at.String(), Path: "/signin", RawQuery: q.Encode()}).String()
}

// Serve serves until the context ends, or nobody was there for LocalOptions.Idle. It
// closes the listener. It returns after 10 seconds at most, and open pages do not keep it.
// A Local serves once.
func (l *Local) Serve(ctx context.Context, at net.Listener) (idle bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if l.o.Idle > 0 {
		go func() {
			for ctx.Err() == nil {
				left := l.o.Idle - l.pages.Idle()
				if left <= 0 {
					cancel(errIdle)
					return
				}
				select {
				case <-ctx.Done():
				case <-time.After(left):
				}
			}
		}()
	}
	err = l.http.Serve(ctx, at)
	return context.Cause(ctx) == errIdle, err
}

var errIdle = errors.New("nobody was there")
