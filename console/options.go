package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New]. Many goroutines call its functions and interfaces.
type Options struct {
	// Version is the version of the program. It is shown, and is part of the author of
	// what people change.
	Version string

	// People says who sends a request. It must not be nil.
	People People

	// Link is the command that prints a link for signing in: /signin with a token in the
	// query, which is the credential. The page for signing in then names the command, and
	// has no form for a key. "": people give a key, and no token in an address counts, so
	// that nobody can be led into the session of another.
	Link string

	// Keys are the API keys that people with Person.Admin manage. nil: there is no page
	// about keys.
	Keys Keys

	// Health returns what the page about the server shows to people with Person.Metrics.
	// It must answer within seconds. nil: there is no such page.
	Health func(context.Context) (Health, error)

	// Config returns what a person pastes into the configuration of a client, for an
	// agent and a key. With the key "" it is for a client that has one. The context is
	// that of the request, which knows how the browser names the server. nil: nothing is
	// shown.
	Config func(ctx context.Context, agent, key string) []Config

	// Admit is asked about each request of a person, once. Its error is told, such as
	// [*Busy]. nil: all are admitted.
	Admit func(context.Context, Person) error

	Logger *slog.Logger     // nil: slog.Default
	Now    func() time.Time // nil: time.Now
}

// People knows who sends a request.
type People interface {
	// Person returns the owner of a session. For the empty session, and for one that is
	// unknown, it may return a person whom the server serves without signing in. Errors:
	// [ErrSignedOut] and [ErrUnavailable].
	Person(ctx context.Context, session string) (Person, error)

	// SignIn begins a session for the owner of a credential, which is good until the
	// time. A session is random, and has letters, digits, "-" and "_" only. Errors:
	// [ErrRefused], [ErrUnavailable], and [*Busy] if too many credentials were wrong.
	SignIn(ctx context.Context, credential string) (session string, until time.Time, err error)

	// SignOut ends a session. It is no error if there is none.
	SignOut(ctx context.Context, session string) error
}

// Errors of [People].
var (
	ErrSignedOut   = errors.New("not signed in")
	ErrRefused     = errors.New("the credential is wrong, has expired or was revoked")
	ErrUnavailable = errors.New("credentials cannot be checked now")
)

// Busy is an error that says when to try again.
type Busy struct {
	After time.Duration
	Text  string
}

// Error implements error.
func (b *Busy) Error() string {
	return fmt.Sprintf("%s; try again in %v", b.Text, b.After.Round(time.Second))
}

// A Person looks at pages. The zero Person may do nothing.
type Person struct {
	ID   string // unlike that of any other person; the same in all sessions of a key
	Name string // what the pages call the person
	Key  string // the Key of the author of what the person changes

	// Open says that the server needs no signing in from this person.
	Open bool

	Read    bool // may read the memory of the agents
	Write   bool // may change it
	Admin   bool // may see and change the keys and list the agents of the tenant
	Metrics bool // may see how the server does

	// Agents are the names of the person's agents, beginnings of names and a star, or "*".
	// Allow reports whether an agent is among them.
	Agents []string
	Allow  func(agent string) bool

	// Service is that of the person's tenant.
	Service *workspace.Service
}

// Keys manages the API keys of a person's tenant. The person has Admin. A key of another
// tenant and one that does not exist are the same [workspace.ErrNotFound].
type Keys interface {
	// List returns the keys after an id ("": from the first) in order of id.
	List(ctx context.Context, p Person, after string) (KeyList, error)

	// Show returns a key.
	Show(ctx context.Context, p Person, id string) (Key, error)

	// Create makes a key, and returns its text, which cannot be had again.
	Create(ctx context.Context, p Person, r KeyRequest) (k Key, text string, err error)

	// Rotate gives a key a new text. The old one is valid for the overlap.
	Rotate(ctx context.Context, p Person, id string, overlap time.Duration) (k Key, text string, err error)

	// Revoke ends a key at once. It can be repeated.
	Revoke(ctx context.Context, p Person, id string) (Key, error)
}

// A KeyList is a page of keys.
type KeyList struct {
	Keys []Key
	Next string // for after, where there are more; else ""
}

// A Key is an API key without its secret.
type Key struct {
	ID, Name string
	Agents   []string // as in Person
	Scopes   []string
	Created  time.Time
	Expires  time.Time // zero: never
	Revoked  time.Time // zero: not
	LastUsed time.Time // zero: never
	Live     bool      // neither revoked nor expired
	Own      bool      // the person has signed in with it
}

// A KeyRequest is the key that a person wants.
type KeyRequest struct {
	Name     string
	Agents   []string
	Scopes   []string
	Lifetime time.Duration // 0: the key does not expire
}

// Health is how a server does.
type Health struct {
	Checks   []Check
	Counts   []Fact // such as of connections
	Versions []Fact
}

// A Status is how a check ended.
type Status string

// How a check ends.
const (
	StatusOK      Status = "ok"
	StatusWarning Status = "warning"
	StatusFailure Status = "failure"
)

// A Check is one thing that was looked at.
type Check struct {
	Name   string
	Status Status
	Text   string
	Fix    string // what to do; "": nothing
}

// A Fact is a name and a value, such as a program and its version.
type Fact struct{ Name, Value string }

// A Config is what a person pastes into the configuration of a client.
type Config struct {
	Client string // the name of the client
	Where  string // where to paste it
	Text   string
}

func (o Options) complete() (Options, error) {
	if o.People == nil {
		return o, fmt.Errorf("console: Options.People is nil: %w", workspace.ErrInvalid)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// only returns the agent if the person has exactly one.
func (p Person) only() (agent string, ok bool) {
	if len(p.Agents) != 1 || p.Agents[0] == "" || p.Agents[0][len(p.Agents[0])-1] == '*' {
		return "", false
	}
	return p.Agents[0], true
}
