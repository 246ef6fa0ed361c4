package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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
	token   *[sha256.Size]byte
	session *[sha256.Size]byte // nil: nobody is signed in
}

// NewLink returns a Link to the memory of a Service, and its token. Whoever has the token
// may do everything there.
func NewLink(svc *workspace.Service) (l *Link, token string) {
	l = &Link{svc: svc}
	token, l.token = newSecret()
	return l, token
}

// newSecret draws 256 random bits or more.
func newSecret() (text string, hash *[sha256.Size]byte) {
	text = rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(text))
	return text, &sum
}

// isSecret takes the same time for all texts of a length.
func isSecret(hash *[sha256.Size]byte, text string) bool {
	sum := sha256.Sum256([]byte(text))
	return hash != nil && subtle.ConstantTimeCompare(hash[:], sum[:]) == 1
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
	l.token = nil
	session, l.session = newSecret()
	return session, time.Now().Add(linkAge), nil
}

// SignOut implements [console.People]. After that nobody gets in.
func (l *Link) SignOut(_ context.Context, session string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isSecret(l.session, session) {
		l.session = nil
	}
	return nil
}
