package pad_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// changesBeside returns changes of a pad that leave a live entry under each of the keys.
func changesBeside(p, view *pad.Pad, c *testkit.Clock, keys []string) map[string]func(i int) {
	return map[string]func(i int){
		"set":           func(i int) { p.Set("stays", 1); p.Set(fmt.Sprint("v:", i), 1) },
		"delete":        func(i int) { p.Delete(fmt.Sprint("v:", i)) },
		"restore":       func(i int) { p.Restore(p.Snapshot()) },
		"restore view":  func(i int) { view.Restore(view.Snapshot()) },
		"restore other": func(i int) { view.Restore(view.Fork().Snapshot()) },
		"sweep":         func(i int) { p.Sweep() },
		"expired anew": func(i int) {
			c.Advance(time.Millisecond)
			p.SetWith("anew", 1, pad.SetOptions{TTL: time.Millisecond})
			p.Set("anew", 1)
			p.Get("v:slides")
		},
		"time": func(i int) {
			c.Advance(time.Millisecond)
			for _, key := range keys { // before the time passes on
				p.Get(key)
			}
		},
	}
}

// Readers always find an entry that is there all the time, whatever changes beside it.
func TestReadersDuringWrites(t *testing.T) {
	defer pad.SetFlatten(3, -50)()
	c := testkit.NewClock()
	p, err := pad.New(pad.Options{Now: c.Now})
	testkit.Must(t, err)
	view := p.Namespace("v")
	keys := []string{"stays", "anew", "v:stays", "v:slides"}
	testkit.Must(t, p.Set("stays", 1))
	testkit.Must(t, p.Set("anew", 1))
	testkit.Must(t, view.Set("stays", 1))
	testkit.Must(t, view.SetWith("slides", 1, pad.SetOptions{TTL: 20 * time.Millisecond, Expiry: pad.Sliding}))
	for i := range 200 {
		testkit.Must(t, p.Set(fmt.Sprint("v:", i), i))
	}
	writes := changesBeside(p, view, c, keys)
	var reads atomic.Int64
	var readers sync.WaitGroup
	stop := make(chan struct{})
	var doing atomic.Value
	doing.Store("")
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, key := range keys {
					if _, ok := p.Get(key); !ok {
						t.Errorf("Get(%q) found nothing during %v", key, doing.Load())
						return
					}
					if !p.Has(key) {
						t.Errorf("Has(%q) = false during %v", key, doing.Load())
						return
					}
					reads.Add(1)
				}
			}
		})
	}
	for i := range testkit.Pick(20, 150, 300) {
		for name, write := range writes {
			doing.Store(name)
			for seen := reads.Load(); reads.Load() == seen && !t.Failed(); {
				write(i % 200)
				runtime.Gosched()
			}
		}
	}
	close(stop)
	readers.Wait()
}

// No access is lost while flatten stores accesses in entries.
func TestAccessesDuringFlattening(t *testing.T) {
	defer pad.SetFlatten(2, -1000)()
	p, c := newPad(t, pad.Options{})
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
		testkit.Must(t, p.Set(keys[i], i))
	}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key, now := keys[i%len(keys)], c.Now()
				p.Get(key)
				if e, _ := p.Peek(key); e.AccessedAt.Before(now) {
					t.Errorf("AccessedAt is %v after a Get at %v", e.AccessedAt, now)
					return
				}
			}
		})
	}
	for range testkit.Pick(150, 1000, 1000) {
		c.Advance(time.Millisecond)
		for _, key := range keys {
			p.Get(key)
		}
		p.Snapshot()
	}
	close(stop)
	readers.Wait()
}

// linearKeys are few, so that clients meet. All are in the view n.
var linearKeys = [3]string{"a", "b", "c"}

// state is the content of the model: the value of each key, 0 for none.
type state [len(linearKeys)]int

// linearCall is one call, with the value that it sets or restores.
type linearCall struct {
	op   string
	key  int
	n    int
	back state // of a restore
}

// linearPad has the operations that the checker calls. A planted bug replaces one.
type linearPad struct {
	get      func(key string) int
	set      func(key string, n int)
	update   func(key string, n int) int // adds n, returns what was there
	remove   func(key string) bool
	clear    func() int
	snapshot func() state
	restore  func(state)
}

func linear(t *testing.T) linearPad {
	whole := emptyPad(t)
	for i := range 50 { // so that the trie is deep
		testkit.Must(t, whole.Set(fmt.Sprint("other", i), i))
	}
	p := whole.Namespace("n")
	return linearPad{
		get: func(key string) int {
			n, _ := pad.Get[int](p, key)
			return n
		},
		set: func(key string, n int) { p.Set(key, n) },
		update: func(key string, n int) (old int) {
			pad.Update(p, key, func(have int, _ bool) (int, error) {
				old = have
				return have + n, nil
			})
			return old
		},
		remove: p.Delete,
		clear:  p.Clear,
		snapshot: func() (s state) {
			for e := range p.Snapshot().All() {
				for i, key := range linearKeys {
					if e.Key == key {
						s[i] = e.Value.(int)
					}
				}
			}
			return s
		},
		restore: func(s state) {
			other, _ := pad.New(pad.Options{})
			for i, key := range linearKeys {
				if s[i] != 0 {
					other.Set(key, s[i])
				}
			}
			p.Restore(other.Snapshot())
		},
	}
}

func (p linearPad) call(c linearCall) any {
	key := linearKeys[c.key]
	switch c.op {
	case "get":
		return p.get(key)
	case "set":
		p.set(key, c.n)
	case "update":
		return p.update(key, c.n)
	case "delete":
		return p.remove(key)
	case "clear":
		return p.clear()
	case "snapshot":
		return p.snapshot()
	case "restore":
		p.restore(c.back)
	}
	return nil
}

var linearModel = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(before, input, output any) (bool, any) {
		s, c := before.(state), input.(linearCall)
		switch c.op {
		case "get":
			return output == s[c.key], s
		case "set":
			s[c.key] = c.n
		case "update":
			ok := output == s[c.key]
			s[c.key] += c.n
			return ok, s
		case "delete":
			ok := output == (s[c.key] != 0)
			s[c.key] = 0
			return ok, s
		case "clear":
			n := 0
			for _, v := range s {
				n += min(v, 1)
			}
			return output == n, state{}
		case "snapshot":
			return output == s, s
		case "restore":
			return true, c.back
		}
		return true, s
	},
}

// linearizable plays random calls from several goroutines.
func linearizable(p linearPad, seed uint64) bool {
	const clients, calls = 4, 25
	var history [clients][]porcupine.Operation
	var at, value atomic.Int64
	var wg sync.WaitGroup
	for id := range clients {
		r := rand.New(rand.NewPCG(seed, uint64(id)))
		wg.Go(func() {
			for range calls {
				c := linearCall{key: r.IntN(len(linearKeys)), n: int(value.Add(1))}
				switch n := r.IntN(32); {
				case n < 12:
					c.op = "get"
				case n < 18:
					c.op = "set"
				case n < 24:
					c.op = "update"
				case n < 26:
					c.op = "delete"
				case n < 29:
					c.op = "snapshot"
				case n < 31:
					c.op = "restore"
					c.back = state{c.n, r.IntN(2), 3}
				default:
					c.op = "clear"
				}
				if r.IntN(4) == 0 {
					runtime.Gosched()
				}
				call := at.Add(1)
				output := p.call(c)
				history[id] = append(history[id], porcupine.Operation{ClientId: id, Input: c, Call: call, Output: output, Return: at.Add(1)})
			}
		})
	}
	wg.Wait()
	var all []porcupine.Operation
	for _, h := range history {
		all = append(all, h...)
	}
	return porcupine.CheckOperationsTimeout(linearModel, all, 5*time.Second) != porcupine.Illegal
}

func TestLinearizable(t *testing.T) {
	rounds := testkit.Pick[uint64](150, 4000, 20_000)
	if testing.Short() {
		rounds = 40
	}
	for seed := range rounds {
		if !linearizable(linear(t), seed) {
			t.Fatalf("round %d is not linearizable", seed)
		}
	}
}

// The checker must be able to fail.
func TestLinearizableFindsBugs(t *testing.T) {
	for name, plant := range map[string]func(p *linearPad){
		"stale read": func(p *linearPad) {
			var mu sync.Mutex
			var old state
			n, snapshot := 0, p.snapshot
			p.get = func(key string) int {
				mu.Lock()
				defer mu.Unlock()
				if n++; n%4 == 1 {
					old = snapshot()
				}
				for i := range linearKeys {
					if linearKeys[i] == key {
						return old[i]
					}
				}
				return 0
			}
		},
		"lost update": func(p *linearPad) {
			get, set := p.get, p.set
			p.update = func(key string, n int) int {
				old := get(key)
				runtime.Gosched()
				set(key, old+n)
				return old
			}
		},
		"torn snapshot": func(p *linearPad) {
			get := p.get
			p.snapshot = func() (s state) {
				for i, key := range linearKeys {
					s[i] = get(key)
					runtime.Gosched()
				}
				return s
			}
		},
	} {
		found := false
		for seed := uint64(0); seed < 2000 && !found; seed++ {
			p := linear(t)
			plant(&p)
			found = !linearizable(p, seed)
		}
		if !found {
			t.Errorf("%s: not found", name)
		}
	}
}
