package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// keysCommand has the commands about API keys.
type keysCommand struct {
	Create keysCreate `cmd:"" help:"Make a key and print it, this once."`
	Ls     keysLs     `cmd:"" help:"List the keys. Their secrets are not stored, so nobody can list those."`
	Show   keysShow   `cmd:"" help:"Show what a key may do, and when it was used."`
	Set    keysSet    `cmd:"" help:"Change what a key may do, or its name or its end."`
	Rotate keysRotate `cmd:"" help:"Give a key a new secret and print the key. The old secret works for a while longer."`
	Revoke keysRevoke `cmd:"" help:"End keys for good."`
}

// keyRecord is a key in JSON. Key is there only if it was made just now.
type keyRecord struct {
	ID       string    `json:"id"`
	Key      string    `json:"key,omitempty"`
	Name     string    `json:"name,omitempty"`
	Tenant   string    `json:"tenant"`
	Agents   []string  `json:"agents"`
	Scopes   []string  `json:"scopes"`
	Rate     float64   `json:"rate,omitempty"` // calls a second; 0: as the server says
	Burst    int       `json:"burst,omitempty"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`
	LastUsed time.Time `json:"last_used,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"`
	Overlap  time.Time `json:"old_secret_until,omitzero"`
	State    string    `json:"state"` // active, expired, revoked
}

func keyOf(k auth.Key, now time.Time) keyRecord {
	r := keyRecord{
		ID: k.ID, Name: k.Name, Tenant: k.Tenant, Agents: append([]string{}, k.Agents.Patterns()...), Scopes: strings.Split(k.Scopes.String(), ","),
		Rate: k.Rate.PerSecond, Burst: k.Rate.Burst,
		Created: k.Created.UTC(), Expires: k.Expires.UTC(), LastUsed: k.LastUsed.UTC(), Revoked: k.Revoked.UTC(), State: "active",
	}
	if k.Overlap.After(now) && k.Live(now) {
		r.Overlap = k.Overlap.UTC()
	}
	switch {
	case !k.Revoked.IsZero():
		r.State = "revoked"
	case !k.Live(now):
		r.State = "expired"
	}
	return r
}

// String says in a line what the key may do.
func (r keyRecord) String() string {
	return fmt.Sprintf("key %s: agents %s, scopes %s, tenant %s, %s", r.ID, r.agents(), strings.Join(r.Scopes, ","), r.Tenant, r.end())
}

func (r keyRecord) agents() string {
	const most = 3
	switch n := len(r.Agents); {
	case n == 0:
		return "none"
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(r.Agents[:most], ","), n-most)
	}
	return strings.Join(r.Agents, ",")
}

func (r keyRecord) end() string {
	if r.Expires.IsZero() {
		return "never expires"
	}
	return "expires " + phrase.Time(r.Expires)
}

func (r keyRecord) rate() string {
	if r.Rate == 0 {
		return "as the server says"
	}
	return fmt.Sprintf("%g calls a second, %d at once", r.Rate, r.Burst)
}

func timeOr(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return phrase.Time(t)
}

// withKeys runs fn on the keys of the database that open opens.
func (p *process) withKeys(open func() (*database, error), fn func(*auth.Keys) error) error {
	if _, err := p.databaseFile(); err != nil { // keys in memory would be of no use
		return err
	}
	return p.use(open, func(db *database) (err error) {
		keys := auth.NewKeys(db.store, auth.Options{})
		defer func() { err = errors.Join(err, keys.Close(p.ctx)) }()
		return ofKeys(fn(keys))
	})
}

// needReader refuses to make a secret that nobody would see.
func (p *process) needReader() error {
	if native.IsNull(p.out) {
		return workspace.Errorf(workspace.ErrInvalid, "nothing was changed, because nobody reads standard output, where the key goes; leave it open")
	}
	return nil
}

// unprinted says what to do if a new secret could not be printed.
func unprinted(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the key %s is stored, but it could not be printed: %w; end it with scratchpad keys revoke %s, and make another", id, err, id)
}

// parseAgents returns the agents of --agents.
func parseAgents(names []string) (auth.Agents, error) {
	agents, err := auth.ParseAgents(names...)
	return agents, ofFlag("--agents", err)
}

// parseScopes returns the scopes of --scopes.
func parseScopes(names []string) (auth.Scopes, error) {
	scopes, err := auth.ParseScopes(names...)
	return scopes, ofFlag("--scopes", err)
}

func rateOf(r flags.Rate) auth.Rate { return auth.Rate{PerSecond: r.PerSecond, Burst: r.Burst} }

// ofFlag names the flag whose value is wrong.
func ofFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return workspace.Errorf(workspace.ErrInvalid, "%s: %s", flag, textOf(err))
}

// rows returns what is known of a key, a line for each thing.
func (r keyRecord) rows() [][]string {
	rows := [][]string{
		{"id", r.ID},
		{"name", terminal.Cell(r.Name)},
		{"state", r.State},
		{"tenant", r.Tenant},
		{"agents", terminal.Cell(strings.Join(r.Agents, ","))},
		{"scopes", strings.Join(r.Scopes, ",")},
		{"rate", r.rate()},
		{"created", phrase.Time(r.Created)},
		{"expires", timeOr(r.Expires, "never")},
		{"last used", timeOr(r.LastUsed, "never")},
	}
	if !r.Overlap.IsZero() {
		rows = append(rows, []string{"old secret", "works until " + phrase.Time(r.Overlap)})
	}
	if !r.Revoked.IsZero() {
		rows = append(rows, []string{"revoked", phrase.Time(r.Revoked)})
	}
	return rows
}
