package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Caller is the owner of a credential. The zero Caller may do nothing.
type Caller struct {
	ID     string // unlike that of any other caller of any tenant; not secret
	Tenant string
	Name   string // of an API key, for people; may be empty
	// Key is the author's key of what the caller writes: the id of an API key, or "oauth:" and a
	// hash of issuer and subject.
	Key    string
	Agents Agents
	Scopes Scopes
	Rate   Rate // the zero Rate stands for the server's default
}

// A Rate limits how often a caller may call.
type Rate struct {
	PerSecond float64 `json:"rate,omitzero"`  // below 0: no limit
	Burst     int     `json:"burst,omitzero"` // calls at once after a pause
}

// A Verifier returns the owner of a credential. Errors: [ErrUnknown], [ErrNoGuess] and
// [ErrUnavailable].
// Many goroutines call it.
type Verifier func(ctx context.Context, credential string) (Caller, error)

var (
	// ErrUnknown says that a credential is wrong, has expired or was revoked. The text
	// that goes with it must not tell which.
	ErrUnknown = errors.New("unknown credential")

	// ErrNoGuess is an ErrUnknown of a credential that nobody has guessed: the issuer has
	// signed the token, which has expired or is for another server, or the token names a
	// key of the issuer that is not known here yet.
	ErrNoGuess = fmt.Errorf("%w", ErrUnknown)

	// ErrUnavailable says that it cannot be found out now whose a credential is.
	ErrUnavailable = errors.New("credentials cannot be checked now")
)

// Scopes are what a caller may do, as bits. Write does not include Read.
type Scopes uint8

const (
	Read    Scopes = 1 << iota // read the memory of the caller's agents
	Write                      // change it
	Admin                      // see and change the keys of the tenant, and list its agents; no access to memory
	Metrics                    // read /metrics; no access to memory
)

var scopeNames = []string{"read", "write", "admin", "metrics"} // in the order of the bits

// Has reports whether all scopes of want are there.
func (s Scopes) Has(want Scopes) bool { return s&want == want }

// String returns the names, separated by commas.
func (s Scopes) String() string {
	var names []string
	for i, name := range scopeNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText returns the names, for the store.
func (s Scopes) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText has returned.
func (s *Scopes) UnmarshalText(text []byte) (err error) {
	*s, err = ParseScopes(strings.Split(string(text), ",")...)
	return err
}

// ParseScopes returns the scopes of names such as "read". There must be one at least.
// Errors: [workspace.ErrInvalid].
func ParseScopes(names ...string) (s Scopes, err error) {
	for _, name := range names {
		i := slices.Index(scopeNames, name)
		if i < 0 || s&(1<<i) != 0 {
			return 0, invalid("scope %.40q is not one of %s, or is given twice", name, strings.Join(scopeNames, ", "))
		}
		s |= 1 << i
	}
	if s == 0 {
		return 0, invalid("no scope; give some of %s", strings.Join(scopeNames, ", "))
	}
	return s, nil
}

// Agents are the agents that a caller may name. The zero Agents are none.
type Agents struct {
	patterns []string // names, prefixes that end in *, or * alone
}

const maxPatterns = 100 // of one caller

// ParseAgents returns the agents of patterns: the name of an agent, the beginning of names
// and a star, such as "team-a-*", or "*" for all agents of the tenant. Errors:
// [workspace.ErrInvalid].
func ParseAgents(patterns ...string) (Agents, error) {
	if len(patterns) == 0 || len(patterns) > maxPatterns {
		return Agents{}, invalid("%d patterns of agents; give 1-%d", len(patterns), maxPatterns)
	}
	var each []string
	for _, p := range patterns {
		if name, _ := strings.CutSuffix(p, "*"); p != "*" {
			if _, err := workspace.ParseAgentID(name); err != nil {
				return Agents{}, err
			}
		}
		if !slices.Contains(each, p) {
			each = append(each, p)
		}
	}
	return Agents{each}, nil
}

// MarshalJSON returns a list of the patterns, for the store.
func (a Agents) MarshalJSON() ([]byte, error) { return json.Marshal(a.patterns) }

// UnmarshalJSON reads what MarshalJSON has returned.
func (a *Agents) UnmarshalJSON(text []byte) (err error) {
	var patterns []string
	if err = json.Unmarshal(text, &patterns); err == nil && len(patterns) > 0 {
		*a, err = ParseAgents(patterns...)
	}
	return err
}

// Allow reports whether an agent is among them.
func (a Agents) Allow(agent string) bool {
	for _, p := range a.patterns {
		if prefix, open := strings.CutSuffix(p, "*"); p == agent || open && strings.HasPrefix(agent, prefix) {
			return true
		}
	}
	return false
}

// Only returns the agent if there is exactly one.
func (a Agents) Only() (agent string, ok bool) {
	if len(a.patterns) != 1 || strings.HasSuffix(a.patterns[0], "*") {
		return "", false
	}
	return a.patterns[0], true
}

// Patterns returns what ParseAgents was given, each once.
func (a Agents) Patterns() []string { return append([]string(nil), a.patterns...) }

func invalid(format string, args ...any) error {
	return workspace.Errorf(workspace.ErrInvalid, "%s", fmt.Sprintf(format, args...))
}

type callerKey struct{}

// carried is what a context carries.
type carried struct {
	caller Caller
	again  func(context.Context) (Caller, error) // nil: the caller stays who it is
	since  time.Time
}

// NewContext returns a context that carries a caller.
func NewContext(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, carried{caller: c})
}

// NewVerifiedContext returns a context that carries a caller whose credential was found
// good just now. again checks the credential again, for [Current].
func NewVerifiedContext(ctx context.Context, c Caller, again func(context.Context) (Caller, error)) context.Context {
	return context.WithValue(ctx, callerKey{}, carried{c, again, time.Now()})
}

// FromContext returns the caller that a context carries.
func FromContext(ctx context.Context) (c Caller, ok bool) {
	found, ok := ctx.Value(callerKey{}).(carried)
	return found.caller, ok
}

// currentAge is how long a verified caller counts as current. With the age of what
// [Keys.Verify] knows, it is below a second.
const currentAge = lookEvery

// Current is FromContext for a call that is about to begin. The body of its request may
// have taken long to arrive, and the credential may have been revoked meanwhile. So a
// credential that was checked more than 250 ms ago is checked again. Errors: those of a
// [Verifier].
func Current(ctx context.Context) (c Caller, ok bool, err error) {
	found, ok := ctx.Value(callerKey{}).(carried)
	if !ok || found.again == nil || elapsed(found.since, time.Now()) < currentAge {
		return found.caller, ok, nil
	}
	c, err = found.again(ctx)
	if err == nil && c.ID != found.caller.ID {
		return Caller{}, true, ErrUnknown
	}
	return c, true, err
}
