package search

import (
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A search over many agents begins with no further one after so much.
const (
	MaxAgents = 1000
	manyBytes = 100_000_000 // of content that was read
	manyTime  = 2 * time.Second
)

// A ManyPlace is where a page of a search over several agents begins.
type ManyPlace struct {
	agent int
	Place
}

// Many reads the texts of several agents, one agent after the other. All of them are one
// collection: how rare a word is, is counted over all that is searched, so scores can be
// compared between agents.
type Many struct {
	Owners  []store.OwnerUsage
	View    func(context.Context, store.Owner, func(store.Reader) error) error
	Prefix  string
	Kind    store.PathKind
	History *History // nil: the current versions alone

	Searched int             // agents whose texts were read, or began to be
	Damaged  map[string]bool // agents that are left out, because what they have is corrupt

	until   time.Time
	reading string // the agent of the History
	bytes   int64
}

// Run searches the agents. If one has a text that is corrupt, it is left out, and the
// search begins again, three times at most.
func (m *Many) Run(ctx context.Context, run func(context.Context, Pages[ManyPlace]) (Result, error)) (Result, error) {
	m.Damaged = map[string]bool{}
	for {
		m.Searched, m.bytes, m.until = 0, 0, time.Now().Add(manyTime)
		r, err := run(ctx, m.read)
		var of *damagedError
		if !errors.As(err, &of) || len(m.Damaged) == 3 {
			return r, err
		}
		m.Damaged[of.agent] = true
	}
}

// A damagedError says whose text is corrupt.
type damagedError struct {
	agent string
	err   error
}

func (e *damagedError) Error() string { return "agent " + e.agent + ": " + e.err.Error() }
func (e *damagedError) Unwrap() error { return e.err }

func damaged(agent string, err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		return &damagedError{agent, err}
	}
	return err
}

// read implements [Pages].
func (m *Many) read(ctx context.Context, at ManyPlace) (texts []Text, next ManyPlace, err error) {
	for at.agent < len(m.Owners) && m.Damaged[m.Owners[at.agent].Owner.Agent] {
		at = ManyPlace{agent: at.agent + 1}
	}
	if at.agent == len(m.Owners) {
		return nil, ManyPlace{}, nil
	}
	owner := m.Owners[at.agent].Owner
	agent := owner.Agent
	view := func(ctx context.Context, fn func(store.Reader) error) error { return m.View(ctx, owner, fn) }
	if m.History != nil && m.reading != agent {
		m.History, m.reading = &History{Now: m.History.Now}, agent
	}
	texts, following, err := StorePages(view, m.Prefix, m.Kind, m.History)(ctx, at.Place)
	if err != nil {
		return nil, at, damaged(agent, err)
	}
	m.Searched = max(m.Searched, at.agent+1)
	for i := range texts {
		t := &texts[i]
		t.Agent = agent
		m.bytes += int64(len(t.Content))
		if check := t.Check; check != nil {
			t.Check = func() error { return damaged(agent, check()) }
		}
	}
	next = ManyPlace{at.agent, following}
	if following == (Place{}) {
		next = ManyPlace{agent: at.agent + 1}
		if next.agent == len(m.Owners) || m.bytes >= manyBytes || time.Now().After(m.until) {
			next = ManyPlace{}
		}
	}
	return texts, next, nil
}
