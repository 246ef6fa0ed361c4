package lru_test

import (
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
	"pgregory.net/rapid"
)

// A Map does what a slice does that is kept in the order of use.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 5).Draw(t, "most")
		m := lru.New[int, int](most)
		type pair struct{ key, value int }
		var model []pair // the one that was used last is at the end
		use := func(p pair) {
			model = slices.DeleteFunc(model, func(q pair) bool { return q.key == p.key })
			model = append(model, p)
			model = model[max(0, len(model)-most):]
		}
		for i := range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 8).Draw(t, "key")
			at := slices.IndexFunc(model, func(p pair) bool { return p.key == key })
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				m.Delete(key)
				model = slices.DeleteFunc(model, func(p pair) bool { return p.key == key })
			case 1, 2:
				m.Put(key, i)
				use(pair{key, i})
			default:
				value, ok := m.Get(key)
				if ok != (at >= 0) || ok && value != model[at].value {
					t.Fatalf("Get(%d) = %d, %v; the model is %v", key, value, ok, model)
				}
				if ok {
					use(model[at])
				}
			}
			if m.Len() != len(model) {
				t.Fatalf("%d keys, expected %d", m.Len(), len(model))
			}
		}
	})
}
