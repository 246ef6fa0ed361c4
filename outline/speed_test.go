package outline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

const mebibyte = 1 << 20

// sized repeats what next makes up to so many bytes.
func sized(size int, next func(i int) string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		s := next(i)
		if b.Len()+len(s) > size {
			return b.String()
		}
		b.WriteString(s)
	}
}

// A workload is a text of a size, as a file of some kind.
type workload struct {
	name, path string
	text       func(size int) string
}

func workloads(t testing.TB) []workload {
	of := func(name string) func(int) string {
		text := testkit.ReadFile(t, filepath.Join(testkit.GoRoot(t), name))
		return func(size int) string { return strings.Repeat(text, size/len(text)+1)[:size] }
	}
	list := []workload{
		{"go", "a.go", of("src/runtime/proc.go")},
		{"html", "a.html", of("doc/go_spec.html")},
	}
	return append(append(list, programs...), documents...)
}

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString([]string{"the", "lease", "of", "a", "worker", "ended", "early", "and", "was", "taken", "over"}[r.IntN(11)] + " ")
	}
	return strings.TrimSpace(b.String())
}

func random(f func(r *rand.Rand, i int) string) func(int) string {
	return func(size int) string {
		r := rand.New(rand.NewPCG(7, 7))
		return sized(size, func(i int) string { return f(r, i) })
	}
}

var programs = []workload{
	{"python", "a.py", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("class Store%d(Base):\n    \"\"\"%s.\"\"\"\n\n    def open(self, path: str = \"x\") -> None:\n        # %s\n        self.path = [x for x in path if x != '%s']\n\n", i, words(r, 7), words(r, 8), words(r, 2))
	})},
}

var documents = []workload{
	{"markdown", "a.md", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("## Part %d\n\nIt says: %s.\n\n- [ ] %s\n- %s\n\n```sh\n# not a heading\n```\n\n%s. %s.\n\n", i, words(r, 9), words(r, 5), words(r, 6), words(r, 20), words(r, 30))
	})},
	{"json", "a.json", func(size int) string {
		r := rand.New(rand.NewPCG(7, 7))
		return "[" + sized(size-8, func(i int) string {
			b, _ := json.Marshal(map[string]any{"id": i, "name": words(r, 3), "amount": r.Float64() * 1000, "open": i%2 == 0, "tags": []string{words(r, 1), "x"}, "geo": map[string]any{"lat": r.Float64(), "lon": nil}})
			return string(b) + ",\n"
		}) + "null]"
	}},
	{"jsonl", "a.jsonl", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("{\"id\":%d,\"level\":\"%s\",\"msg\":\"%s\",\"ms\":%d.5}\n", i, []string{"info", "warn"}[r.IntN(2)], words(r, 6), r.IntN(900))
	})},
	{"yaml", "a.yaml", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("service%d:\n  image: registry/%d\n  env:\n    - name: A\n      value: \"%s\"\n    - name: B\n", i, i, words(r, 3))
	})},
	{"csv", "a.csv", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("%d,2024-03-%02d,\"%s, and %s\",%d.25,%t\n", i, 1+i%28, words(r, 2), words(r, 3), r.IntN(9000), i%3 == 0)
	})},
	{"log", "a.log", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("2024-03-01T%02d:%02d:%02d.%03dZ %-5s worker-%d: %s id=%08x after %dms\n", i/3600%24, i/60%60, i%60, r.IntN(1000), []string{"INFO", "DEBUG", "WARN"}[r.IntN(3)], r.IntN(20), []string{"lease renewed", "row written", "retrying the upload"}[r.IntN(3)], r.Uint32(), r.IntN(3000))
	})},
	{"prose", "a.txt", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("In the year %d %s. Then %s, and\n%s.\n\n", i, words(r, 12), words(r, 9), words(r, 14))
	})},
	{"chinese", "a", random(func(r *rand.Rand, i int) string {
		return fmt.Sprintf("第%d天，外婆家的后院有一口老井，井沿被绳子磨出了深深浅浅的沟。堂屋里供着外公的照片！\n\n", i)
	})},
}

// BenchmarkOutline reads 1 MiB of each kind. The floor beside it counts lines and
// estimates the tokens of the same text.
func BenchmarkOutline(b *testing.B) {
	for _, w := range workloads(b) {
		text := w.text(mebibyte)
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				outline.Text(w.path, text, 0)
			}
		})
		b.Run(w.name+"/floor", func(b *testing.B) {
			raw := []byte(text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				bytes.Count(raw, []byte("\n"))
				tokens.EstimateBytes(raw)
			}
		})
	}
}
