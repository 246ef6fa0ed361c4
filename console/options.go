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
	// Version is the version of the program. The pages show it, and each change that people
	// make has it in its author.
	Version string

	// People says who sends a request. It must not be nil.
	People People

	// Link is the command that prints a link for signing in: /signin with a token in the
	// query, which is the credential. The page for signing in then names the command, and
	// has no form for a key. "": people sign in with a key, and a token in an address is
	// ignored, so that nobody can be led into another person's session.
	Link string

	// Keys manages the API keys for people with Person.Admin. nil: there is no page about
	// keys.
	Keys Keys

	// Health returns what the page Health shows to people with Person.Metrics. Its context
	// ends after 15 seconds. nil: there is no such page.
	Health func(context.Context) (Health, error)

	// Config returns what a person pastes into the configuration of a client, for an agent
	// and a key. Agent "" is no agent in particular. Key "" is for a client that has a key
	// already, or needs none. The context is that of the request. nil: the pages show no
	// configuration.
	Config func(ctx context.Context, agent, key string) []Config

	// Admit is called once for each request of a person. If Admit returns an error, such as
	// [*Busy], the request is refused with the text of the error. nil: all are admitted.
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
	After time.Duration // to wait; 0: the person can try at once
	Text  string        // what is busy, without a full stop
}

// Error implements error.
func (b *Busy) Error() string {
	return fmt.Sprintf("%s; try again in %v", b.Text, b.After.Round(time.Second))
}

// A Person looks at pages. The zero Person may do nothing.
type Person struct {
	ID   string // no other person has the same; equal in all sessions of a key
	Name string // what the pages call the person
	Key  string // the Key of the author of each change that the person makes

	// Open says that the server serves this person without signing in.
	Open bool

	Read    bool // may read the memory of the agents
	Write   bool // may change the memory of the agents
	Admin   bool // may see and change the keys, and list the agents of the tenant
	Metrics bool // may see how the server does

	// Agents names the agents that the person may use. A name that ends in "*" is the
	// beginning of names, and "*" alone is all agents. Allow reports whether an agent is
	// one of them. nil: none is.
	Agents []string
	Allow  func(agent string) bool

	// Service has the memory of the person's tenant.
	Service *workspace.Service
}

// Keys manages the API keys of a person's tenant. Handlers call it only for people with
// Person.Admin. For a key of another tenant, the error is [workspace.ErrNotFound], as for a
// key that does not exist. Implementations are safe for concurrent use.
type Keys interface {
	// List returns a page of keys in the order of their ids, those after an id. "": from
	// the first.
	List(ctx context.Context, p Person, after string) (KeyList, error)

	// Show returns a key.
	Show(ctx context.Context, p Person, id string) (Key, error)

	// Create makes a key, and returns its text. The text cannot be read again.
	Create(ctx context.Context, p Person, r KeyRequest) (k Key, text string, err error)

	// Rotate gives a key a new text, and returns it. The old text stays valid for the
	// overlap.
	Rotate(ctx context.Context, p Person, id string, overlap time.Duration) (k Key, text string, err error)

	// Revoke ends a key at once. Revoking a revoked key changes nothing.
	Revoke(ctx context.Context, p Person, id string) (Key, error)
}

// A KeyList is a page of keys.
type KeyList struct {
	Keys []Key
	Next string // the id for List to go on after; "": there are no more keys
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

// A KeyRequest is the key that a person asks for.
type KeyRequest struct {
	Name     string
	Agents   []string      // as in Person
	Scopes   []string      // as in Key
	Lifetime time.Duration // 0: the key does not expire
}

// Health says how a server does.
type Health struct {
	Checks   []Check // shown with failures first, then warnings
	Counts   []Fact  // numbers, such as that of open connections
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

// A Check is one thing that the server looked at.
type Check struct {
	Name   string
	Status Status // any other is shown as a failure
	Text   string // what the server found
	Fix    string // what to do; "": nothing
}

// A Fact is a name and a value.
type Fact struct{ Name, Value string }

// A Config is what a person pastes into the configuration of a client.
type Config struct {
	Client string // the name of the client
	Where  string // where to paste the text
	Text   string
}

// only returns the agent if the person has exactly one.
func (p Person) only() (agent string, ok bool) {
	if len(p.Agents) != 1 || p.Agents[0] == "" || p.Agents[0][len(p.Agents[0])-1] == '*' {
		return "", false
	}
	return p.Agents[0], true
}
