package transfer

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestEscape(t *testing.T) {
	long := strings.Repeat("x", 255)
	for _, c := range []struct {
		paths, want []string
	}{
		{[]string{"plan.md", "notes/To do.md"}, []string{"plan.md", "notes/To do.md"}},
		{[]string{"A", "a", "Ab"}, []string{"%41", "a", "Ab"}},
		{[]string{"README/x", "readme"}, []string{"%52%45%41%44%4D%45/x", "readme"}},
		{[]string{"a", "a/b"}, []string{"a%", "a/b"}},
		{[]string{"nul.", "con", "Com1.txt", "com", "console"}, []string{"nul%2E", "%63on", "%43om1.txt", "com", "console"}},
		{[]string{"a:b", "50%"}, []string{"a%3Ab", "50%25"}},
		{[]string{"\u00e4", "\u00c4"}, []string{"\u00e4", "%C3%84"}},
		{[]string{long}, []string{long[:200] + "%+/" + long[200:]}},
	} {
		got := escapeAll(c.paths)
		for i, path := range c.paths {
			if got[path] != c.want[i] {
				t.Errorf("%.40q is %.80q, want %.80q", path, got[path], c.want[i])
			}
		}
	}
}

// windowsDevice is what no name may be on Windows, at the end of none either a dot or a
// space.
var windowsDevice = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$|[. ]$|[<>:"|?*\\]`)

// Every set of paths can be kept on every file system, and comes back.
func TestEscapeAny(t *testing.T) {
	testkit.SkipInShort(t)
	segment := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "A", "con", "COn.b", "nul.", "lpt1", "x ", "\u017f", "s", "S", "\u212a", "k", "K", "%", "%+", "%41", "CON." + strings.Repeat("x", 230)}),
		rapid.StringMatching(`[a-cA-C%+._ -]{1,4}`),
		rapid.StringMatching(`[aA\x{e4}\x{c4}]{180,255}`),
		rapid.StringMatching(`[^/\x00]{1,5}`),
	).Filter(func(s string) bool { return s != "." && s != ".." })
	testkit.ScaleChecks(t, 10, 1)
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(rapid.Map(rapid.SliceOfN(segment, 1, 3), func(s []string) string { return strings.Join(s, "/") }), 1, 30, rapid.ID).Draw(t, "paths")
		names := escapeAll(paths)
		files, folders := map[string]string{}, map[string]bool{}
		for _, p := range paths {
			name := names[p]
			if back, err := Unescape(name); err != nil || back != p {
				t.Fatalf("%q is %q, which stands for %q, %v", p, name, back, err)
			}
			if other, there := files[fold(name)]; there {
				t.Fatalf("%q and %q are one file: %q", p, other, name)
			}
			files[fold(name)] = p
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				folders[fold(dir)] = true
			}
			for part := range strings.SplitSeq(name, "/") {
				if len(part) > 230 || windowsDevice.MatchString(part) {
					t.Fatalf("%q has the part %q", name, part)
				}
			}
		}
		for name, p := range files {
			if folders[name] {
				t.Fatalf("%q is a folder and the file of %q", name, p)
			}
		}
	})
}

// Names that escapeAll does not make are refused or stand for some path; nothing else
// happens.
func FuzzUnescape(f *testing.F) {
	for _, s := range []string{"a", "a%", "%41/b%2E", "x%+/y", "%", "a%4", "//", "%+", "%ff", "a%+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := Unescape(name)
		if err == nil && strings.Count(p, "/") > strings.Count(name, "/")+strings.Count(name, "%2") {
			t.Errorf("%q stands for %q", name, p)
		}
	})
}
