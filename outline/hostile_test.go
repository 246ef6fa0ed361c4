package outline_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
)

// hostile are texts that, repeated, take a careless scanner time that grows with the
// square of their length.
var hostile = []string{
	"#", "# a\n", "- - ", "1. ", "\"", "'", "`", "(", "[", "{", "[{", "<", "<a ", "<!--", "/", "([/", "/*", "```\n", "~~~\n#\n", "\n", "\r\n", " ", "- ", "- a\n", "a:\n", "a: [\n",
	"f(\n", "int f()\n", "<<A\n", "\"\"\"", "r#\"", "${`", "\\", "a", "漢", "\",", "{\"a\":", "{\"a\":1}\n", "[1],", "---\n", "a b\n\n", "!", ". ", "<h1>", "<script>", "func f()\n",
	"class a {\n", "template<", "@a(", "#[a", "*", "insert into a(b)\n", "x\n===\n", "\x00", "12:34:56 a\n", "a = [\n", "enum enum ",
	"`````\n````\n", "> ```\n", "<a b=c ", "\"a\"\n", "[[a]]\nb = \"c\"\n", "- [ ] a\n", "{\"a\":{\"b\":1},\n", "/*\"\"", "\"\\\"/**/", "[/*\"\"", ", ",
}

// paths are files of every kind.
var paths = []string{"a.md", "a.go", "a.ts", "a.json", "a.jsonl", "a.yaml", "a.csv", "a.log", ".env", "a.txt"}

// Texts that are made to be hard for a scanner get an outline like any other.
func TestHostileTexts(t *testing.T) {
	size := testkit.Pick(1<<9, 1<<13, 1<<17)
	for _, path := range paths {
		for _, unit := range hostile {
			checkOutline(t, path, strings.Repeat(unit, size/len(unit)), 600)
		}
	}
	checkOutline(t, "deep.ts", strings.Repeat("class a {\n", testkit.Pick(4000, 40_000, 40_000)), 600)
}

// Time and memory grow with the length of a text, not with its square.
func TestHostileTextsAreCheap(t *testing.T) {
	testkit.SkipUnlessLong(t)
	const size, most, mostBytes = 1 << 17, 10 * time.Second, 150 << 20
	for _, path := range paths {
		for _, unit := range hostile {
			text := strings.Repeat(unit, size/len(unit))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			outline.Text(path, text, 0)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if bytes := after.TotalAlloc - before.TotalAlloc; took > most || bytes > mostBytes {
				t.Errorf("%s of %q: %v, %d MiB", path, unit, took, bytes>>20)
			}
		}
	}
}
