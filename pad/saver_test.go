package pad_test

import (
	"context"
	"sync"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// memorySaver keeps the JSON of what was saved last.
type memorySaver struct {
	mu    sync.Mutex // guards all
	text  []byte
	saves int
	err   error // of Load and Save
	panic any
}

func (m *memorySaver) Load(context.Context) (*pad.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panic != nil {
		panic(m.panic)
	}
	if m.err != nil || m.text == nil {
		return nil, m.err
	}
	s := new(pad.Snapshot)
	return s, s.UnmarshalJSON(m.text)
}

func (m *memorySaver) Save(_ context.Context, s *pad.Snapshot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	if m.panic != nil {
		panic(m.panic)
	}
	if m.err != nil {
		return m.err
	}
	text, err := s.MarshalJSON()
	if err == nil {
		m.text = text
	}
	return err
}

func (m *memorySaver) set(f func(m *memorySaver)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m)
}

func (m *memorySaver) state() (text string, saves int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.text), m.saves
}
