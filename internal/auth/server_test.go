package auth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An order is what the test tells a process.
type order struct {
	Do      string // use, revoke, narrow, rotate, begin, end, report
	Text    string // of the key, for use and begin; of the session, for use and end
	ID      string
	Overlap time.Duration
}

// An answer is what the process says when it has done so.
type answer struct {
	Err  string
	At   time.Time // when the change was acknowledged
	Text string    // of rotate and begin
	Seen map[string]sight
}

// A sight is what a process saw of a credential. The times are those when a call began,
// FirstRefused when it ended.
type sight struct {
	Accepted, Refused, Unavailable int
	LastAccepted, LastWide         time.Time // of those that were accepted; with scope write
	FirstRefused                   time.Time
}

// server is a process that checks credentials all the time.
type server struct {
	keys *auth.Keys

	mu   sync.Mutex // guards all below
	used []string
	seen map[string]sight
}

// serve is a process of the test. A bug is planted if it must not raise the generation.
func serve(path string, planted bool) error {
	ctx := context.Background()
	var s workspace.Store
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if planted {
		deaf := &spy{Store: s}
		deaf.onCall(func(op, key string) error {
			if op == "put" && strings.HasSuffix(key, "generation") {
				return workspace.ErrConflict // counts as raised by another
			}
			return nil
		})
		s = deaf
	}
	v := &server{keys: auth.NewKeys(s, auth.Options{}), seen: map[string]sight{}}
	var workers sync.WaitGroup
	var stop atomic.Bool
	for i := range 4 {
		workers.Go(func() {
			for n := i; !stop.Load(); n++ {
				if v.call(ctx, n); n%20 == 0 {
					time.Sleep(time.Millisecond) // others use this machine too
				}
			}
		})
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		line, err := json.Marshal(v.obey(ctx, o))
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	stop.Store(true)
	workers.Wait()
	return v.keys.Close(ctx)
}

// call checks one of the credentials.
func (v *server) call(ctx context.Context, n int) {
	v.mu.Lock()
	if len(v.used) == 0 {
		v.mu.Unlock()
		time.Sleep(time.Millisecond)
		return
	}
	text := v.used[n%len(v.used)]
	v.mu.Unlock()
	begun := time.Now()
	verify := v.keys.Verify
	if !strings.HasPrefix(text, auth.KeyPrefix) {
		verify = v.keys.Sessions().Verify
	}
	c, err := verify(ctx, text)
	ended := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.seen[text]
	switch {
	case err == nil:
		s.Accepted++
		s.LastAccepted = later(s.LastAccepted, begun)
		if c.Scopes.Has(auth.Write) {
			s.LastWide = later(s.LastWide, begun)
		}
	case errors.Is(err, auth.ErrUnavailable):
		s.Unavailable++
	default:
		s.Refused++
		if s.FirstRefused.IsZero() || ended.Before(s.FirstRefused) {
			s.FirstRefused = ended
		}
	}
	v.seen[text] = s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (v *server) obey(ctx context.Context, o order) (a answer) {
	var err error
	switch o.Do {
	case "use":
		v.mu.Lock()
		v.used = append(v.used, strings.Clone(o.Text))
		v.mu.Unlock()
	case "revoke":
		_, err = v.keys.Revoke(ctx, o.ID)
	case "narrow":
		read := auth.Read
		_, err = v.keys.Set(ctx, o.ID, auth.Change{Scopes: &read})
	case "rotate":
		_, a.Text, err = v.keys.Rotate(ctx, o.ID, o.Overlap)
	case "begin":
		a.Text, _, _, err = v.keys.Sessions().Begin(ctx, o.Text)
	case "end":
		err = v.keys.Sessions().End(ctx, o.Text)
	case "report":
		v.mu.Lock()
		n := len(v.used)
		v.mu.Unlock()
		for i := range n { // each is seen once more
			v.call(ctx, i)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		a.Seen = maps.Clone(v.seen)
	}
	if err != nil {
		a.Err = err.Error()
	}
	a.At = time.Now()
	return a
}
