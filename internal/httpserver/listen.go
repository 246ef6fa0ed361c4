package httpserver

import (
	"net"
	"sync/atomic"
)

// conns are the open connections of a listener.
type conns struct{ n atomic.Int64 }

func (q *conns) open() int64 { return q.n.Load() }

type listener struct {
	net.Listener
	s *Server
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.s.stats.accepted.Add(1)
	}
	return c, err
}
