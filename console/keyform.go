package console

import (
	"crypto/rand"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A keyForm is the form for a new key, as a person has filled it in.
type keyForm struct {
	Stamp        string
	Name, Agents string
	Scopes       []keyScope
	Lifetimes    []keyLifetime
	Problem      string // why no key was made
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
		Stamp: rand.Text(), Name: typed.Get("name"), Agents: typed.Get("agents"),
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

// request returns the key that the person wants. ok is false if the form is not one of ours.
func (f *keyForm) request() (r KeyRequest, ok bool) {
	r.Name = strings.TrimSpace(f.Name)
	r.Agents = strings.FieldsFunc(f.Agents, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for _, s := range f.Scopes {
		if s.Chosen {
			r.Scopes = append(r.Scopes, s.Name)
		}
	}
	for _, l := range f.Lifetimes {
		if l.Chosen {
			r.Lifetime, ok = l.days*24*time.Hour, true
		}
	}
	return r, ok
}
