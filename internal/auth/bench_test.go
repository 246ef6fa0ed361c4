package auth_test

import (
	"crypto/sha256"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// The floor is the hash of a secret, which no check can do without.
func BenchmarkVerify(b *testing.B) {
	keys := open(b, memstore.New())
	_, text := create(b, keys, grant(b, "*"))
	b.Run("known", func(b *testing.B) {
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if _, err := keys.Verify(b.Context(), text); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("checksum", func(b *testing.B) {
		for b.Loop() {
			_, _ = keys.Verify(b.Context(), text[:len(text)-1]+"!")
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				sha256.Sum256([]byte(text[12:55]))
			}
		})
	})
}
