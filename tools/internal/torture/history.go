package torture

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// never is the time of an answer that did not come.
const never = math.MaxInt64

// An attempt is a call that was sent to a server once.
type attempt struct {
	Server string
	Begin  int64  // nanoseconds after the beginning of the history
	End    int64  // never if there was no answer
	Answer answer // with Failed unknown if there was none
}

// A record is a call of a client with all of its attempts. Those after the first one carry
// the same idempotency key.
type record struct {
	Client   int
	Call     call
	Attempts []attempt
}

// last returns the attempt that gave the client its answer.
func (r *record) last() attempt { return r.Attempts[len(r.Attempts)-1] }

// ok reports whether the client knows that the call was done.
func (r *record) ok() bool { return r.last().Answer.Failed == "" }

// mayLater reports whether an attempt may have been done that the client has no answer of.
func (r *record) mayLater() bool {
	return slices.ContainsFunc(r.Attempts, func(a attempt) bool { return a.Answer.Failed == failedUnknown })
}

// A history is what happened in a round. It is safe for concurrent use.
type history struct {
	Seed  uint64
	Round int
	Agent string

	began   time.Time
	clock   int64      // at began, that of all processes
	mu      sync.Mutex // guards the following
	Records []*record
	Events  []event
}

// An event is what was done to a server.
type event struct {
	At   int64
	What string
}

func newHistory(seed uint64, round int, agent string) *history {
	return &history{Seed: seed, Round: round, Agent: agent, began: time.Now(), clock: clock()}
}

func (h *history) now() int64 { return int64(time.Since(h.began)) }

func (h *history) add(r *record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Records = append(h.Records, r)
}

func (h *history) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Events = append(h.Events, event{h.now(), what})
}

// save writes the history for people: a line of JSON with what is wrong, one for each call
// in the order of their beginnings, and one for what the agent had at the end. It returns
// the name of the file.
func (h *history) save(dir, name, problem string, end *look) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	lines := json.NewEncoder(f)
	err = lines.Encode(map[string]any{"problem": problem, "seed": h.Seed, "round": h.Round, "agent": h.Agent,
		"events": h.Events})
	slices.SortFunc(h.Records, func(a, b *record) int { return cmp.Compare(a.Attempts[0].Begin, b.Attempts[0].Begin) })
	for _, r := range h.Records {
		if err == nil {
			err = lines.Encode(r)
		}
	}
	if err == nil {
		err = lines.Encode(map[string]any{"end": end})
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}
