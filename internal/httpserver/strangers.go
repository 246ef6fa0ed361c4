package httpserver

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	maxStrangers  = 1024 // forms of people who are not known yet, at a time
	maxOfStranger = 64   // of them, from an address
)

// strangers are the forms that arrive from people who are not known yet. Each takes the
// memory of a request for as long as it likes to arrive, so there are fewer of them than of
// connections. If an address has enough, its next form ends the one that has been arriving for
// longest: the form of somebody with a key arrives within moments. They are safe for concurrent
// use.
type strangers struct {
	mu sync.Mutex             // guards the following
	by map[string][]*stranger // by address, in the order in which they came
	n  int
}

// A stranger is a form that arrives.
type stranger struct {
	end func() // makes the form end soon; it must not wait
}

// enter adds a form until leave. The form ends earlier with end.
func (q *strangers) enter(from string, end func()) (leave func(), f *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.by[from]) >= maxOfStranger {
		oldest := q.by[from][0]
		q.remove(from, oldest)
		oldest.end()
	}
	if q.n >= maxStrangers {
		return nil, refused(http.StatusTooManyRequests, "too many forms arrive at once; try again").retry(time.Second)
	}
	if q.by == nil {
		q.by = map[string][]*stranger{}
	}
	one := &stranger{end}
	q.n++
	q.by[from] = append(q.by[from], one)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.remove(from, one)
	}, nil
}

// remove removes a form that may have been removed before. The caller holds mu.
func (q *strangers) remove(from string, one *stranger) {
	i := slices.Index(q.by[from], one)
	if i < 0 {
		return
	}
	q.n--
	if q.by[from] = slices.Delete(q.by[from], i, i+1); len(q.by[from]) == 0 {
		delete(q.by, from)
	}
}
