package transfer

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// version returns the record of a version as JSON.
func version(path, name string, n int) string {
	return fmt.Sprintf(`{"path":%q,"name":%q,"version":%d,"bytes":1,"sha256":"%s","time":"2026-11-21T04:50:00Z"}`, path, name, n, zeros)
}

func manifestOf(files ...string) string {
	return `{"format":"scratchpad export 1","agent":"a","time":"2026-11-21T04:50:00Z","files":[` + strings.Join(files, ",") + `],"logs":[]}`
}

func TestReadManifest(t *testing.T) {
	m, err := readManifest(strings.NewReader(manifestOf(version("a", "versions/%61%/%v1", 1), version("a", "files/a", 2), version("b/c", "files/b/c", 7))))
	if err != nil || len(m.files) != 2 || len(m.files[0]) != 2 || m.Agent != "a" {
		t.Errorf("readManifest = %+v, %v", m, err)
	}
	for _, c := range []struct{ manifest, says string }{
		{"", "it is not a manifest"},
		{"[]", "it is not a manifest"},
		{"{}", "its format is"},
		{`{"name":"an app"}`, "rename the file if the folder is no export"},
		{manifestOf(version("../a", "files/../a", 1), version("../a", "files/../a", 2)), "follows version 1"},
		{manifestOf(version("a", "../a", 1)), "is not the name of"},
		{manifestOf(version("a", "/etc/passwd", 1)), "is not the name of"},
		{manifestOf(version("a", "files/b", 1)), "is not the name of"},
		{manifestOf(version("a", "logs/a.jsonl", 1)), "is not the name of"},
		{manifestOf(version("a", "versions/a/%v2", 1)), "is not the name of"},
		{manifestOf(version("a", "files/a", 1), version("b", "files/b", 1), version("a", "files/%61", 1)), `two records for "a"`},
		{manifestOf(version("a", "files/a", 1), version("a", "files/a", 2)), "follows version 1"},
		{manifestOf(version("a", "versions/a/%v3", 3), version("a", "files/a", 3)), "follows version 3"},
		{strings.ReplaceAll(manifestOf(version("a", "versions/a/%v1", 1)), `"files"`, `"deleted"`), `"a" has no current version, and is not deleted`},
		{manifestOf(strings.ReplaceAll(version("a", "files/a", 1), `"bytes"`, `"deleted":{},"bytes"`)), "is redacted or deleted, which cannot be"},
		{manifestOf(strings.ReplaceAll(version("a", "files/a", 1), zeros, "00")), "hash"},
		{manifestOf(strings.ReplaceAll(version("a", "files/a", 1), `"bytes":1`, `"bytes":-1`)), "size"},
		{strings.TrimSuffix(manifestOf(), "}"), "EOF"},
		{strings.ReplaceAll(manifestOf(), `[]`, `{}`), "list"},
		{strings.ReplaceAll(manifestOf(), "export 1", "export 2"), `"scratchpad export 2"`},
		{strings.ReplaceAll(manifestOf(), `"logs":[]`, `"logs":[{"path":"a","name":"logs/a","sha256":"`+zeros+`"}]`), "is not the name of"},
	} {
		if m, err := readManifest(strings.NewReader(c.manifest)); workspace.Kind(err) != workspace.ErrInvalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v, want %q", c.manifest, m, err, c.says)
		}
	}
}

// endless is a text that goes on and on.
type endless struct {
	begin, again string
	rest         []byte
	left         int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.left <= 0 {
			return 0, io.EOF
		}
		e.rest = []byte(e.begin + e.again)
		if e.begin = ""; len(e.again) == 1 {
			e.rest = append(e.rest, bytes.Repeat([]byte(e.again), 64<<10)...)
		}
	}
	n := copy(p, e.rest)
	e.rest, e.left = e.rest[n:], e.left-n
	return n, nil
}

// A huge manifest is refused before it is read to its end.
func TestHugeManifest(t *testing.T) {
	testkit.SkipInShort(t)
	for _, c := range []struct{ begin, again, says string }{
		{`{"format":"`, "x", "more than 1048576 bytes"},
		{`{"x`, "x", "more than 1048576 bytes"},
		{`{"files":[{"path":"`, "x", "more than 1048576 bytes"},
		{`{"files":[`, " ", "more than 1048576 bytes"},
		{`{"files":[`, "[", "cannot unmarshal|exceeded max depth|more than 1048576 bytes"},
		{`{"logs":[` + strings.Repeat(" ", 100), `{"path":"a","name":"logs/a.jsonl","sha256":"` + zeros + `"},`, "two records"},
	} {
		in := &endless{begin: c.begin, again: c.again, left: 64 << 20}
		_, err := readManifest(in)
		ok := false
		for says := range strings.SplitSeq(c.says, "|") {
			ok = ok || err != nil && strings.Contains(err.Error(), says)
		}
		if !ok || in.left < 60<<20 {
			t.Errorf("%.30s: %d MiB were left: %.200v", c.begin, in.left>>20, err)
		}
	}
}

// A line of a log that is too long is refused before it is read to its end.
func TestLongLine(t *testing.T) {
	in := &endless{begin: `{"id":1,"text":"`, again: "x", left: 100 << 20}
	if _, err := newEntryReader(in, 64<<10).next(); err == nil || !strings.Contains(err.Error(), "line 1 has more than") || in.left < 80<<20 {
		t.Errorf("%d MiB were left: %v", in.left>>20, err)
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		lines, says string
		n           int
	}{
		{`{"id":3,"text":"a"}` + "\r\n" + `{"id":4,"text":""}`, "", 2},
		{"", "", 0},
		{`{"id":1,"text":"a"}` + "\n\n", "line 2 is not an entry", 1},
		{`{"id":1}`, "line 1 is not an entry", 0},
	} {
		r := newEntryReader(strings.NewReader(c.lines), 100)
		n := 0
		_, err := r.next()
		for ; err == nil; _, err = r.next() {
			n++
		}
		if n != c.n || (err == io.EOF) != (c.says == "") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %d entries, %v", c.lines, n, err)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add(manifestOf(version("a", "versions/a/%v1", 1), version("a", "files/a", 2)))
	f.Add(manifestOf())
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readManifest(strings.NewReader(text))
		if err != nil {
			if workspace.Kind(err) != workspace.ErrInvalid {
				t.Errorf("%v is not ErrInvalid", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, versions := range m.files {
			if seen[versions[0].Path] {
				t.Errorf("%q is there twice", versions[0].Path)
			}
			seen[versions[0].Path] = true
		}
	})
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
