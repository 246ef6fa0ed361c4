package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [New]. Many goroutines call its functions and interfaces at once.
type Options struct {
	// Version is the version of the program. The pages show the version. It is also in the
	// author of each change that people make.
	Version string

	// People says who sends a request. People must not be nil.
	People People

	// Link is the command that prints a link for signing in. The link is /signin with a token
	// in the query, and the token is the credential. The page for signing in then names the
	// command, and has no form for a key. "": people sign in with a key. A token in an address
	// is then ignored, so that nobody can be led into another person's session.
	Link string

	// Keys manages the API keys for people with Person.Admin. nil: there is no page about
	// keys.
	Keys Keys

	// Health returns the data of the page Health, which people with Person.Metrics can see. Its
	// context ends after 15 seconds. nil: there is no such page.
	Health func(context.Context) (Health, error)

	// Config returns texts for the configuration of clients, for an agent and a key. An agent
	// of "" means no agent in particular. A key of "" is for a client that has a key already,
	// or needs none. The context is that of the request. nil: the pages show no configuration.
	Config func(ctx context.Context, agent, key string) []Config

	// Project returns the name of the project whose memory an agent of the person's tenant is, and
	// "" for other agents. nil: no agent is that of a project.
	Project func(ctx context.Context, p Person, agent string) (string, error)

	// Admit is called once for each request of a person. If Admit returns an error, such as
	// [*Busy], the Handler refuses the request with the text of the error. nil: all requests
	// are admitted.
	Admit func(context.Context, Person) error

	Logger *slog.Logger     // nil: slog.Default
	Now    func() time.Time // nil: time.Now
}

// People knows who sends a request. Implementations are safe for concurrent use.
type People interface {
	// Person returns the owner of a session. For the empty session, and for an unknown one,
	// Person may return somebody whom the server serves without signing in. Errors:
	// [ErrSignedOut] and [ErrUnavailable].
	Person(ctx context.Context, session string) (Person, error)

	// SignIn begins a session for the owner of a credential. The session ends at until. A
	// session is random text of letters, digits, "-" and "_". Errors: [ErrRefused],
	// [ErrUnavailable], and [*Busy] after too many wrong credentials.
	SignIn(ctx context.Context, credential string) (session string, until time.Time, err error)

	// SignOut ends a session. An unknown session is no error.
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
	After time.Duration // how long to wait; 0: the person can try at once
	Text  string        // the reason, without a full stop
}

// Error returns the reason, and the time after which to try again.
func (b *Busy) Error() string {
	return fmt.Sprintf("%s; try again in %v", b.Text, b.After.Round(time.Second))
}

// A Person is somebody who sends a request, with the rights of that person. The zero Person has
// no rights.
type Person struct {
	ID   string // unique to the person; equal in all sessions of a key
	Name string // the name of the person on the pages
	Key  string // Author.Key of each change that the person makes

	// Open says that the server serves this person without signing in.
	Open bool

	Read    bool // may read the memory of the agents
	Write   bool // may change the memory of the agents
	Admin   bool // may see and change the keys, and list the agents of the tenant
	Metrics bool // may see the health of the server

	// Agents are the agents that the person may use. An element is a name, the beginning of
	// names and "*", or "*" for all agents. Allow reports whether an agent is among Agents. A
	// nil Allow allows no agent.
	Agents []string
	Allow  func(agent string) bool

	// Service is the Service of the person's tenant.
	Service *workspace.Service
}

// Keys manages the API keys of a person's tenant. Handlers call Keys only for people with
// Person.Admin. If a key does not exist or is of another tenant, the error is
// [workspace.ErrNotFound]. Implementations are safe for concurrent use.
type Keys interface {
	// List returns a page of keys in the order of their ids. The page begins with the first key
	// after the id after, or with the first key of all if after is "".
	List(ctx context.Context, p Person, after string) (KeyList, error)

	// Show returns a key.
	Show(ctx context.Context, p Person, id string) (Key, error)

	// Create makes a key, and returns its text. The text cannot be read again.
	Create(ctx context.Context, p Person, r KeyRequest) (k Key, text string, err error)

	// Rotate gives a key a new text, and returns the text. The old text stays valid for the
	// time overlap.
	Rotate(ctx context.Context, p Person, id string, overlap time.Duration) (k Key, text string, err error)

	// Revoke ends a key at once. Revoking a revoked key changes nothing.
	Revoke(ctx context.Context, p Person, id string) (Key, error)
}

// A KeyList is a page of keys.
type KeyList struct {
	Keys []Key
	Next string // the argument after for the next List; "": there are no more keys
}

// A Key is an API key without its text.
type Key struct {
	ID, Name string
	Agents   []string // as in Person
	Scopes   []string // "read", "write", "admin" and "metrics"
	Created  time.Time
	Expires  time.Time // zero: never
	Revoked  time.Time // zero: the key is not revoked
	LastUsed time.Time // zero: never
	Live     bool      // neither revoked nor expired
	Own      bool      // the person has signed in with this key
}

// A KeyRequest describes the key that a person wants to create.
type KeyRequest struct {
	Name     string
	Agents   []string      // as in Person
	Scopes   []string      // as in Key
	Lifetime time.Duration // time until the key expires; 0: the key does not expire
}

// Health is the state of a server.
type Health struct {
	Checks   []Check // the page shows failures first, then warnings
	Counts   []Fact  // numbers, such as the number of open connections
	Versions []Fact  // programs and their versions
}

// A Status is the result of a check.
type Status string

// The results of a check.
const (
	StatusOK      Status = "ok"
	StatusWarning Status = "warning"
	StatusFailure Status = "failure"
)

// A Check is the result of one check that the server made of itself.
type Check struct {
	Name   string
	Status Status // an unknown Status is shown as a failure
	Text   string // the result in words
	Fix    string // a step that a person should take; "": none
}

// A Fact is a name and a value.
type Fact struct{ Name, Value string }

// A Config is a text that a person pastes into the configuration of a client.
type Config struct {
	Client string // the name of the client
	Where  string // the file or the place for the text
	Text   string
}

// only returns the agent if the person has exactly one.
func (p Person) only() (agent string, ok bool) {
	if len(p.Agents) != 1 || p.Agents[0] == "" || p.Agents[0][len(p.Agents[0])-1] == '*' {
		return "", false
	}
	return p.Agents[0], true
}
