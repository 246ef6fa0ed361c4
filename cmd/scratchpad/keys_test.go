package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/keyrecord"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A key that the command makes ends after 90 days, as one of the console does. Who wants a
// key that does not end says so.
func TestKeysEnd(t *testing.T) {
	testkit.SkipInShort(t)
	env := []string{"SCRATCHPAD_DB=" + filepath.Join(t.TempDir(), "k.db")}
	for _, c := range []struct {
		args []string
		want time.Duration
	}{{nil, 90 * 24 * time.Hour}, {[]string{"--expires", "never"}, 0}, {[]string{"--expires", "3h"}, 3 * time.Hour}} {
		o := runCommand(t, t.TempDir(), env, append([]string{"keys", "create", "--agents", "a", "--json"}, c.args...)...)
		o.must(t, 0)
		var r keyrecord.Record
		testkit.Must(t, json.Unmarshal([]byte(o.out), &r))
		if got := r.Expires; c.want == 0 && !got.IsZero() || c.want > 0 && !got.Equal(r.Created.Add(c.want)) {
			t.Errorf("%q: made at %v, ends at %v, want %v later", c.args, r.Created, got, c.want)
		}
	}
}
