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

func linearRounds() uint64 {
	if testing.Short() {
		return 40
	}
	return testkit.Pick[uint64](150, 4000, 20_000)
}

func TestLinearizable(t *testing.T) {
	for seed := range linearRounds() {
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
