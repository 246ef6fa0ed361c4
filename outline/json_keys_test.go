package outline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
)

// outlined returns the lines of an outline with room for everything, by the number
// that each begins with.
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

// The keys of the outermost object of each JSON file are there with their lines.
func TestJSONKeys(t *testing.T) {
	root := testkit.GoRoot(t)
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		content := testkit.ReadFile(t, path)
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
