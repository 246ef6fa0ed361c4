package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The limits of the form for a new key.
const (
	maxKeyName   = 100 // characters
	maxKeyAgents = 100
)

// A keyForm is the form for a new key, as a person has filled it in.
type keyForm struct {
	Stamp        string
	Name, Agents string
	Scopes       []keyScope
	Lifetimes    []keyLifetime

	// What is wrong with a field, or with the whole form.
	NameError, AgentsError, ScopesError, LifetimeError, Problem string
}

// A keyScope is something that a key may do.
type keyScope struct {
	Name, Text string
	Chosen     bool
}

// A keyLifetime is for how long a key is valid.
type keyLifetime struct {
	Value, Title string
	Chosen       bool
	days         time.Duration
}

// newKeyForm returns the form with what was typed. nil: with what is usual. A person
// without metrics cannot give that to a key.
func newKeyForm(v *visit, typed url.Values) keyForm {
	if typed == nil {
		typed = url.Values{"scopes": {"read", "write"}, "lifetime": {"90d"}}
	}
	f := keyForm{
		Stamp: newStamp(v.h.o.Now()), Name: typed.Get("name"), Agents: typed.Get("agents"),
		Scopes: []keyScope{
			{Name: "read", Text: "Read the files, the logs and the changes of its agents."},
			{Name: "write", Text: "Change the files and the logs of its agents. It does not include reading."},
			{Name: "admin", Text: "See and change all keys and list all agents. Who has this can make a key for " +
				"anything."},
		},
		Lifetimes: []keyLifetime{
			{Value: "1d", Title: "1 day", days: 1}, {Value: "7d", Title: "7 days", days: 7},
			{Value: "30d", Title: "30 days", days: 30}, {Value: "90d", Title: "90 days", days: 90},
			{Value: "365d", Title: "1 year", days: 365}, {Value: "0", Title: "It does not expire"},
		},
	}
	if v.person.Metrics {
		f.Scopes = append(f.Scopes, keyScope{Name: "metrics",
			Text: "See how the server does: the page Health and the address /metrics."})
	}
	for i := range f.Scopes {
		f.Scopes[i].Chosen = slices.Contains(typed["scopes"], f.Scopes[i].Name)
	}
	for i := range f.Lifetimes {
		f.Lifetimes[i].Chosen = typed.Get("lifetime") == f.Lifetimes[i].Value
	}
	return f
}

// request returns the key that the person wants. ok is false if something is wrong, which
// is then noted at its field.
func (f *keyForm) request() (r KeyRequest, ok bool) {
	r.Name = strings.TrimSpace(f.Name)
	n := utf8.RuneCountInString(r.Name)
	switch {
	case n == 0:
		f.NameError = "Give the key a name, so that you recognize it later."
	case n > maxKeyName:
		f.NameError = fmt.Sprintf("The name has %d characters. It can have %d.", n, maxKeyName)
	case !utf8.ValidString(r.Name) || strings.ContainsFunc(r.Name, func(c rune) bool { return !unicode.IsPrint(c) }):
		f.NameError = "The name has characters that do not show. Leave them out."
	}
	for _, s := range f.Scopes {
		if s.Chosen {
			r.Scopes = append(r.Scopes, s.Name)
		}
	}
	if len(r.Scopes) == 0 {
		f.ScopesError = "Choose what the key may do."
	}
	r.Agents = f.patterns(r.Scopes)
	f.LifetimeError = "Choose for how long the key is valid."
	for _, l := range f.Lifetimes {
		if l.Chosen {
			r.Lifetime, f.LifetimeError = l.days*24*time.Hour, ""
		}
	}
	return r, f.NameError == "" && f.AgentsError == "" && f.ScopesError == "" && f.LifetimeError == ""
}

// patterns returns the agents that were typed, each once.
func (f *keyForm) patterns(scopes []string) (all []string) {
	for _, p := range strings.FieldsFunc(f.Agents, func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
		if name, _ := strings.CutSuffix(p, "*"); p != "*" {
			if _, err := workspace.ParseAgentID(name); err != nil {
				f.AgentsError = fmt.Sprintf("%.100q names no agent. A name has letters a to z, digits, - and _ "+
					"only, and can end in a star.", p)
				return nil
			}
		}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
		if len(all) > maxKeyAgents {
			f.AgentsError = fmt.Sprintf("These are more than %d. Use a beginning of names and a star.", maxKeyAgents)
			return nil
		}
	}
	if len(all) == 0 && (slices.Contains(scopes, "read") || slices.Contains(scopes, "write")) {
		f.AgentsError = "Name the agents that the key is for, or * for all."
	}
	return all
}
