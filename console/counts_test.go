package console_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
)

var versionSize = regexp.MustCompile(`</time><span>(.*?)</span></div></li>`)

// The list of versions says how many lines each has changed. Of large files it has bytes.
func TestVersionLines(t *testing.T) {
	svc := newService(t)
	large := strings.Repeat("a line of a large file\n", 8000)
	for path, versions := range map[string][]string{
		"small.txt": {"a\nb\nc\n", "a\nB\nc\n", "", "a\nb\nc\n", "a\nb\nc\nd\ne", "a\nb\nc\n"},
		"large.txt": {large, large + "end\n", "short\n", "short\nshorter\n"},
	} {
		for _, text := range versions {
			write(t, svc, "a", path, text)
		}
	}
	b := open(t, console.Options{People: people{"ada": everybody(svc)}}, "ada")
	for range 2 { // the second time, the counts are known
		for path, want := range map[string][]string{
			"small.txt": {"+0 −2 lines", "+2 −0 lines", "+3 −0 lines", "+0 −3 lines", "+1 −1 lines", "6 B"},
			"large.txt": {"+1 −0 lines", "+1 −8,001 lines", "+4 B", "184 kB"},
		} {
			_, page := b.get("/a/a/files/" + path)
			var got []string
			for _, m := range versionSize.FindAllStringSubmatch(page, -1) {
				got = append(got, tag.ReplaceAllString(m[1], ""))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q\n%s", path, got, want, page)
			}
		}
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)
