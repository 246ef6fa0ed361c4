package search

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A search over many agents begins with no further one after so much.
const (
	MaxAgents = 1000
	manyBytes = 100_000_000 // of content that was read
	manyTime  = 2 * time.Second
)

// A manyPlace is where a page of a search over several agents begins.
type manyPlace struct {
	agent int
	at    any // the place in what the agent has
}

// Many reads the texts of several agents, one agent after the other. All of them are one
// collection: how rare a word is, is counted over all that is searched, so scores can be
// compared between agents. Texts that are corrupt are left out.
type Many struct {
	Owners  []store.OwnerUsage
	View    func(context.Context, store.Owner, func(store.Reader) error) error
	Prefix  string
	Kind    store.PathKind
	History *History // nil: the current versions alone

	Searched int // agents whose texts were read, or began to be

	until   time.Time
	reading string // the agent of the History
	bytes   int64

	mu      sync.Mutex
	damaged map[string]bool
}

// errLeftOut is the error of a text that a search passes over.
var errLeftOut = errors.New("the text is left out")

// leaveOut returns errLeftOut in place of the error of a corrupt text.
func (m *Many) leaveOut(agent string, err error) error {
	if !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.damaged == nil {
		m.damaged = map[string]bool{}
	}
	m.damaged[agent] = true
	return errLeftOut
}

// Damaged returns the number of agents of which texts were left out.
func (m *Many) Damaged() int { return len(m.damaged) }

// Read implements [Pages].
func (m *Many) Read(ctx context.Context, from any) (texts []Text, next any, err error) {
	at, _ := from.(manyPlace)
	if from == nil {
		m.bytes, m.until = 0, time.Now().Add(manyTime)
	}
	if at.agent == len(m.Owners) {
		return nil, nil, nil
	}
	owner := m.Owners[at.agent].Owner
	view := func(ctx context.Context, fn func(store.Reader) error) error { return m.View(ctx, owner, fn) }
	if m.History != nil && m.reading != owner.Agent {
		m.History, m.reading = &History{Now: m.History.Now}, owner.Agent
	}
	texts, following, err := StorePages(view, m.Prefix, m.Kind, m.History)(ctx, at.at)
	switch err = m.leaveOut(owner.Agent, err); {
	case err == errLeftOut:
		texts, following = nil, nil
	case err != nil:
		return nil, nil, err
	}
	m.Searched = max(m.Searched, at.agent+1)
	for i := range texts {
		t := &texts[i]
		t.Agent = owner.Agent
		m.bytes += int64(len(t.Content))
		check := t.Check
		t.Check = func() error { return m.leaveOut(owner.Agent, check()) }
	}
	if following != nil {
		return texts, manyPlace{at.agent, following}, nil
	}
	if at.agent++; at.agent == len(m.Owners) || m.bytes >= manyBytes || time.Now().After(m.until) {
		return texts, nil, nil
	}
	return texts, manyPlace{agent: at.agent}, nil
}
