package httpserver

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// The pages of a person are made one at a time. Else somebody who asks for a thousand large
// ones at once would keep everybody else waiting, because the runtime lets all that can run
// take turns. A page that takes long does not keep the person's others: its turn ends. A
// request with a form takes no turn: it would hold memory for the form while it waits.

// turns are the turns of people. They are safe for concurrent use. The zero turns are ready.
type turns struct {
	mu sync.Mutex       // guards the following
	by map[string]*turn // by person
}

// A turn is that of one person.
type turn struct {
	taken chan struct{} // has room for one
	users int           // that have it or wait for it; guarded by turns.mu
}

const (
	maxUsers = 33              // of the turn of a person: one has it, and the others wait
	turnWait = 5 * time.Second // at most, for the turn
)

// take waits for the turn of a person, in the order in which its callers came. The turn ends
// with leave, which may be called more than once, or after the longest time that it may last.
// ok is false if too many wait, if the wait was too long, or if the context has ended.
func (q *turns) take(ctx context.Context, person string, longest time.Duration) (leave func(), ok bool) {
	t := q.enter(person)
	if t == nil {
		return nil, false
	}
	select {
	case t.taken <- struct{}{}:
	default:
		wait, cancel := context.WithTimeout(ctx, turnWait)
		defer cancel()
		select {
		case t.taken <- struct{}{}:
			runtime.Gosched() // lets others go first, also after many turns that nobody needed long
		case <-wait.Done():
			q.exit(person)
			return nil, false
		}
	}
	end := sync.OnceFunc(func() {
		<-t.taken
		q.exit(person)
	})
	late := time.AfterFunc(longest, end)
	return func() {
		late.Stop()
		end()
	}, true
}

// enter adds a user to the turn of a person; nil: it has enough.
func (q *turns) enter(person string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.by == nil {
		q.by = map[string]*turn{}
	}
	t := q.by[person]
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		q.by[person] = t
	}
	if t.users == maxUsers {
		return nil
	}
	t.users++
	return t
}

func (q *turns) exit(person string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t := q.by[person]; t.users == 1 {
		delete(q.by, person)
	} else {
		t.users--
	}
}
