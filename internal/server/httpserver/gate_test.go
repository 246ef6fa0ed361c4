package httpserver

import (
	"io"
	"net/http"
	"sync"
)

// A gate is a handler that holds requests until it is opened, or they are cancelled.
type gate struct {
	entered chan struct{} // gets a value for each request
	opened  chan struct{}
	once    sync.Once
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 10000), opened: make(chan struct{})} }

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.entered <- struct{}{}
	select {
	case <-g.opened:
		io.WriteString(w, "done")
	case <-r.Context().Done():
		http.Error(w, "cut", http.StatusServiceUnavailable)
	}
}
