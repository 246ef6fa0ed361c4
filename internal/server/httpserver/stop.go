package httpserver

import (
	"net/http"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
)

// calls are the calls under way.
type calls struct {
	all     *admission.Semaphore // with their streams
	callers door                 // of those who call with a key or a token
	people  door                 // of the addresses of people

	mu      sync.Mutex        // guards the following
	under   map[*running]bool // that are under way
	stopped bool
	idle    chan struct{} // closed when stopped and nothing is under way
}

// A door says how many calls may be under way.
type door struct {
	each    *admission.Semaphore // of a caller
	tenants *admission.Semaphore // of the callers of a tenant, which may have many keys
}

// A running is a call that is under way.
type running struct {
	stream bool
	end    func() // makes the call end soon; it must not wait
}

// newCalls divides the connections. An eighth of them is for those who connect, for health
// and for metrics. Two tenants leave a quarter to others.
func newCalls(connections int) *calls {
	part := func(eighths int) *admission.Semaphore {
		return admission.New(int64(connections), int64(max(1, connections*eighths/8)))
	}
	return &calls{
		all: part(7), callers: door{part(1), part(3)}, people: door{part(4), part(6)},
		under: map[*running]bool{}, idle: make(chan struct{}),
	}
}

// enter adds a call until leave.
func (q *calls) enter(caller, tenant string, through door, c running) (leave func(), f *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		stopping := refused(http.StatusServiceUnavailable, "the server is stopping; try again")
		return nil, stopping.retry(time.Second).with("Connection", "close")
	}
	var places []*admission.Part
	free := func() {
		for _, place := range places {
			place.Leave()
		}
	}
	for _, limit := range []struct {
		of     *admission.Semaphore
		group  string
		status int
		text   string
	}{
		{through.each, "caller " + caller, http.StatusTooManyRequests,
			"%d calls of yours are under way, which is the limit"},
		{through.tenants, "tenant " + tenant, http.StatusTooManyRequests,
			"%d calls of your tenant are under way, which is the limit"},
		{q.all, "all", http.StatusServiceUnavailable, "%d calls are under way, which is the limit of this server"},
	} {
		place, ok := limit.of.TryTake(limit.group, 1)
		if !ok {
			free()
			return nil, refused(limit.status, limit.text+"; try again when one has ended",
				limit.of.Share()).retry(time.Second)
		}
		places = append(places, place)
	}
	q.under[&c] = true
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		free()
		if delete(q.under, &c); len(q.under) == 0 && q.stopped {
			close(q.idle)
		}
	}, nil
}

// stop lets nobody enter any more, and ends the streams. It returns how many other calls are
// under way. The channel is closed when all have left. It is called once.
func (q *calls) stop() (idle <-chan struct{}, others int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c := range q.under {
		if c.stream {
			c.end()
		} else {
			others++
		}
	}
	if q.stopped = true; len(q.under) == 0 {
		close(q.idle)
	}
	return q.idle, others
}

// cut ends all calls that are under way, and returns how many there are.
func (q *calls) cut() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c := range q.under {
		c.end()
	}
	return int64(len(q.under))
}

func (q *calls) stopping() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped
}
