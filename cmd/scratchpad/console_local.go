package main

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
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
)

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
	if uid, ok := native.SocketUser(o.Client, o.Server); ok && !isUser(uid) {
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

// onlyReader lets nobody change what cannot be stored.
type onlyReader struct{ console.People }

func (r onlyReader) Person(ctx context.Context, session string) (console.Person, error) {
	p, err := r.People.Person(ctx, session)
	p.Write = false
	return p, err
}

// link returns the link to the console at an address, which lets one browser in, once. The
// browser then shows the agent of --agent.
func (s *localConsole) link(at net.Addr) string {
	q := url.Values{"token": {s.token}}
	if agent := s.p.line.Agent; agent != nil {
		q.Set("next", "/a/"+url.PathEscape(*agent))
	}
	return (&url.URL{Scheme: "http", Host: at.String(), Path: "/signin", RawQuery: q.Encode()}).String()
}

// serve serves until the command ends, or nobody was there for the time of --idle. It closes
// the listener. It returns after 10 seconds at most, and open pages do not keep it.
func (s *localConsole) serve(at net.Listener) (idle bool, err error) {
	ctx, cancel := context.WithCancelCause(s.p.ctx)
	defer cancel(nil)
	if s.c.Idle.Duration > 0 {
		go func() {
			for ctx.Err() == nil {
				left := s.c.Idle.Duration - s.pages.Idle()
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
	err = s.http.Serve(ctx, at)
	return context.Cause(ctx) == errIdle, err
}

var errIdle = errors.New("nobody was there")
