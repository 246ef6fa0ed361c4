package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// linkAge is when a browser forgets its session. The process ends it earlier.
const linkAge = 365 * 24 * time.Hour

// A Link lets one browser of this machine in. Its token is given to the browser in an
// address, and is worthless after it was exchanged for a session. The session lasts as
// long as the Link. Link implements [console.People] and is safe for concurrent use.
type Link struct {
	svc *workspace.Service

	mu      sync.Mutex // guards all below
	token   string     // "": it was exchanged
	session string     // "": nobody is signed in
}

// NewLink returns a Link to the memory of a Service, and its token. Whoever has the token
// may do everything there.
func NewLink(svc *workspace.Service) (l *Link, token string) {
	token = newSecret()
	return &Link{svc: svc, token: token}, token
}

// newSecret draws 256 random bits or more.
func newSecret() string { return rand.Text() + rand.Text() }

// isSecret takes the same time for all texts of a length.
func isSecret(secret, text string) bool {
	return secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(text)) == 1
}

// Person implements [console.People].
func (l *Link) Person(_ context.Context, session string) (console.Person, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isSecret(l.session, session) {
		return console.Person{}, console.ErrSignedOut
	}
	return console.Person{
		ID: "local", Name: "you, on this machine", Read: true, Write: true, Admin: true, Metrics: true,
		Agents: []string{"*"}, Allow: func(string) bool { return true }, Service: l.svc,
	}, nil
}

// SignIn implements [console.People]. The credential is the token. It is good once.
func (l *Link) SignIn(_ context.Context, token string) (session string, until time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isSecret(l.token, token) {
		return "", time.Time{}, console.ErrRefused
	}
	l.token, l.session = "", newSecret()
	return l.session, time.Now().Add(linkAge), nil
}

// SignOut implements [console.People]. After that nobody gets in.
func (l *Link) SignOut(_ context.Context, session string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isSecret(l.session, session) {
		l.session = ""
	}
	return nil
}
