package outline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

const plenty = 1 << 30 // tokens

// outlined returns the lines of an outline with room for everything, by the
// number that each begins with.
func outlined(path, content string) map[int]string {
	lines := map[int]string{}
	text := outline.Text(path, content, plenty)
	for l := range strings.SplitSeq(text, "\n") {
		if m := numbered.FindStringSubmatch(l); m != nil {
			var n int
			fmt.Sscan(m[1], &n)
			lines[n] += l + "\n"
		}
	}
	return lines
}

var (
	atx   = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]|$)`)
	fence = regexp.MustCompile("^[ \t]*(```+|~~~+)")
)

// markdownHeadings finds headings with number signs, in its own way: it splits
// the text at its fences.
func markdownHeadings(content string) []int {
	var found []int
	inside := ""
	for i, l := range strings.Split(content, "\n") {
		if m := fence.FindStringSubmatch(l); m != nil {
			switch {
			case inside == "":
				inside = m[1]
			case strings.HasPrefix(m[1], inside) && strings.TrimSpace(l) == m[1]:
				inside = ""
			}
			continue
		}
		if inside == "" && atx.MatchString(l) {
			found = append(found, i+1)
		}
	}
	return found
}

func TestOutlineMarkdownHeadings(t *testing.T) {
	root := goRoot(t)
	files, headings := 0, 0
	for _, from := range []string{filepath.Join(root, "doc"), filepath.Join(root, "src"), root, ".."} {
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".md") {
				return err
			}
			content := readFile(t, path)
			got := outlined(path, content)
			var lines []int
			for n, text := range got {
				if heading.MatchString(text) {
					lines = append(lines, n)
				}
			}
			slices.Sort(lines)
			want := markdownHeadings(content)
			setext := len(lines) - len(want)
			lines = slices.DeleteFunc(lines, func(n int) bool { return setext > 0 && !slices.Contains(want, n) && underlined(content, n) })
			if !slices.Equal(lines, want) {
				t.Errorf("%s: headings at %d, want %d", path, lines, want)
			}
			files++
			headings += len(want)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 5 || headings < 50 {
		t.Errorf("%d headings in %d files: too few to prove anything", headings, files)
	}
	t.Logf("%d files, %d headings", files, headings)
}

var heading = regexp.MustCompile(`^\d+(-\d+)? #{1,6}( |\n|$)`)

func underlined(content string, n int) bool {
	lines := strings.Split(content, "\n")
	below := strings.TrimSpace(lines[n])
	return below != "" && (strings.Trim(below, "=") == "" || strings.Trim(below, "-") == "")
}

// The keys of the outermost object of each JSON file are there with their lines.
func TestOutlineJSONKeys(t *testing.T) {
	root := goRoot(t)
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		content := readFile(t, path)
		want := topKeys(content)
		if len(want) == 0 || len(want) >= 40 {
			return nil
		}
		files++
		got := outlined(path, content)
		for key, line := range want {
			if !strings.Contains(got[line], " "+key+": ") {
				t.Errorf("%s:%d: key %q is not in %q", path, line, key, got[line])
			}
		}
		return nil
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
	t.Logf("%d files", files)
}

// topKeys returns the line of each key of an object.
func topKeys(content string) map[string]int {
	dec := json.NewDecoder(bytes.NewReader([]byte(content)))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	keys := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		keys[key.(string)] = 1 + strings.Count(content[:dec.InputOffset()], "\n")
		var value any
		if dec.Decode(&value) != nil {
			return nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil // one document a line
	}
	return keys
}
