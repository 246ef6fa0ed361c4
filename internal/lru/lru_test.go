package lru_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/lru"
)

// A Cache does what a list does that is searched from its front.
func TestCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ key, value int }
		most := rapid.IntRange(1, 5).Draw(t, "most")
		c := lru.New[int, int](most)
		var model []pair // the one that was used last first
		take := func(key int) (p pair, ok bool) {
			i := slices.IndexFunc(model, func(p pair) bool { return p.key == key })
			if i < 0 {
				return pair{}, false
			}
			p = model[i]
			model = slices.Delete(model, i, i+1)
			return p, true
		}
		t.Repeat(map[string]func(*rapid.T){
			"get": func(t *rapid.T) {
				key := rapid.IntRange(0, 8).Draw(t, "key")
				p, want := take(key)
				if want {
					model = slices.Insert(model, 0, p)
				}
				if v, ok := c.Get(key); ok != want || v != p.value {
					t.Fatalf("Get(%d) = %d, %v, want %d, %v", key, v, ok, p.value, want)
				}
			},
			"add": func(t *rapid.T) {
				p := pair{rapid.IntRange(0, 8).Draw(t, "key"), rapid.Int().Draw(t, "value")}
				take(p.key)
				model = slices.Insert(model, 0, p)
				model = model[:min(len(model), most)]
				c.Add(p.key, p.value)
			},
			"remove": func(t *rapid.T) {
				key := rapid.IntRange(0, 8).Draw(t, "key")
				take(key)
				c.Remove(key)
			},
			"": func(t *rapid.T) {
				if c.Len() != len(model) {
					t.Fatalf("Len = %d, want %d", c.Len(), len(model))
				}
			},
		})
	})
}
