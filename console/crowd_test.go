package console_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A slowStore takes its time for each look, and counts how many there are at once.
type slowStore struct {
	workspace.Store
	now, most atomic.Int64
}

func (s *slowStore) View(ctx context.Context, o workspace.Owner, f func(workspace.Reader) error) error {
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	time.Sleep(10 * time.Millisecond) // all searches of a person together take less than they wait for each other
	return s.Store.View(ctx, o, f)
}

// Of one person's searches one runs at a time, and two of all people: they would keep
// everybody else waiting.
func TestSearchesOfAPerson(t *testing.T) {
	store := &slowStore{Store: memstore.New()}
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	write(t, svc, "a", "x", "word")
	all := people{}
	for _, id := range []string{"ada", "bob", "eve"} {
		p := everybody(svc)
		p.ID = id
		all[id] = p
	}
	address := serve(t, console.Options{People: all})
	for _, c := range []struct {
		who  []string
		most int64
	}{{[]string{"ada"}, 1}, {[]string{"ada", "bob", "eve"}, 2}} {
		store.most.Store(0)
		var searches sync.WaitGroup
		for _, who := range c.who {
			b := visit(t, address, who)
			for range 6 {
				searches.Go(func() {
					r, _ := http.NewRequestWithContext(t.Context(), "GET", address+"/search?q=word", nil)
					if answer, err := b.client.Do(r); err != nil || answer.StatusCode != http.StatusOK {
						t.Errorf("%v %v", answer, err)
					} else {
						answer.Body.Close()
					}
				})
			}
		}
		searches.Wait()
		if n := store.most.Load(); n != c.most {
			t.Errorf("%d searches of %v ran at once, want %d", n, c.who, c.most)
		}
	}
}
