// Package room bounds the memory that the requests of many people take together, so that
// nobody keeps the others out.
package room

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const longestWait = 5 * time.Second // for others to finish

// Errors of [Room.Take].
var (
	ErrOwn    = errors.New("the other requests of the same person take all that one person may have")
	ErrOthers = errors.New("the requests of others take all there is")
)

// A Room bounds the memory that requests and answers take. All that one person does at the
// same time gets half of it, so that nobody keeps the others out. A single page may take
// more, as long as it does not wait for the person's browser. It is safe for concurrent use.
type Room struct {
	left   *semaphore.Weighted
	bytes  int64             // of all
	share  int64             // of one person
	mu     sync.Mutex        // guards people
	people map[string]*share // who have a part of the room, or wait for one
}

// A share is what one person has of a Room.
type share struct {
	left    *semaphore.Weighted
	callers int // that have a part, or wait for one; guarded by Room.mu
}

// New returns a room of some bytes.
func New(bytes int64) *Room {
	return &Room{left: semaphore.NewWeighted(bytes), bytes: bytes, share: bytes / 2, people: map[string]*share{}}
}

// Share returns how many bytes one person gets.
func (q *Room) Share() int64 { return q.share }

// Take waits up to five seconds for room for the guest of the context, and returns a
// function that gives it back. Who needs more than there is takes all. Errors: [ErrOwn]
// and [ErrOthers], also when the context ends.
func (q *Room) Take(ctx context.Context, bytes int64) (leave func(), err error) {
	g := guestOf(ctx)
	wait, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	p := &part{in: q, of: q.enter(g.person), bytes: min(bytes, q.bytes)}
	if p.of.left.Acquire(wait, p.own()) != nil {
		q.exit(g.person)
		return nil, ErrOwn
	}
	if q.left.Acquire(wait, p.bytes) != nil {
		p.of.left.Release(p.own())
		q.exit(g.person)
		return nil, ErrOthers
	}
	g.add(p)
	return sync.OnceFunc(func() {
		p.keep(0)
		q.exit(g.person)
	}), nil
}

// enter returns the share of a person until exit.
func (q *Room) enter(person string) *share {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.people[person]
	if s == nil {
		s = &share{left: semaphore.NewWeighted(q.share)}
		q.people[person] = s
	}
	s.callers++
	return s
}

func (q *Room) exit(person string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.people[person]
	if s.callers--; s.callers == 0 {
		delete(q.people, person)
	}
}

// A part is what somebody has of a Room.
type part struct {
	in    *Room
	of    *share
	mu    sync.Mutex // guards bytes
	bytes int64
}

// own returns how much of it counts against the person's share.
func (p *part) own() int64 { return min(p.bytes, p.in.share) }

// keep gives back all but some bytes, and returns how many are kept.
func (p *part) keep(bytes int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, own := p.bytes, p.own()
	p.bytes = max(0, min(bytes, p.bytes))
	p.in.left.Release(all - p.bytes)
	p.of.left.Release(own - p.own())
	return p.bytes
}

// A guest is a request that takes room.
type guest struct {
	person string     // unlike that of any other person
	mu     sync.Mutex // guards parts
	parts  []*part
}

type guestKey struct{}

// WithGuest returns a context for the request of a person, who is unlike any other by the
// string. A context without a guest is that of nobody.
func WithGuest(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, guestKey{}, &guest{person: person})
}

// guestOf returns the guest of a context, or one that is nobody.
func guestOf(ctx context.Context) *guest {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		return g
	}
	return &guest{}
}

func (g *guest) add(p *part) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parts = append(g.parts, p)
}

// Keep gives back all but some bytes of what the guest of the context has of all rooms.
// That is for when an answer is ready: a client that does not read keeps no more than the
// answer.
func Keep(ctx context.Context, bytes int64) {
	g := guestOf(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.parts {
		bytes -= p.keep(bytes)
	}
}
