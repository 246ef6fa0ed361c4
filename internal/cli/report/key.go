package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// A Key is an API key, without its secret. Its field Key is there only if it was made just now.
type Key struct {
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

// KeyOf returns the record of a key at a time.
func KeyOf(k auth.Key, now time.Time) Key {
	r := Key{
		ID: k.ID, Name: k.Name, Tenant: k.Tenant, Agents: append([]string{}, k.Agents.Patterns()...),
		Scopes: strings.Split(k.Scopes.String(), ","),
		Rate:   k.Rate.PerSecond, Burst: k.Rate.Burst,
		Created: k.Created.UTC(), Expires: k.Expires.UTC(), LastUsed: k.LastUsed.UTC(), Revoked: k.Revoked.UTC(),
		State: "active",
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
func (r Key) String() string {
	return fmt.Sprintf("key %s: agents %s, scopes %s, tenant %s, %s", r.ID, r.agents(), strings.Join(r.Scopes, ","),
		r.Tenant, r.end())
}

func (r Key) agents() string {
	const most = 3
	switch n := len(r.Agents); {
	case n == 0:
		return "none"
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(r.Agents[:most], ","), n-most)
	}
	return strings.Join(r.Agents, ",")
}

func (r Key) end() string {
	if r.Expires.IsZero() {
		return "never expires"
	}
	return "expires " + phrase.Time(r.Expires)
}

func (r Key) rate() string {
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

// Fields returns what is known of a key, a line for each thing.
func (r Key) Fields() [][]string {
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

// KeyHeader is the first row of a table of keys, and [Key.Row] one of the others.
var KeyHeader = []string{"ID", "NAME", "TENANT", "AGENTS", "SCOPES", "EXPIRES", "LAST USED", "STATE"}

// Row returns the row of the key in a table.
func (r Key) Row() []string {
	return terminal.Row(r.ID, r.Name, r.Tenant, r.agents(), strings.Join(r.Scopes, ","), timeOr(r.Expires, "never"),
		timeOr(r.LastUsed, "never"), r.State)
}
