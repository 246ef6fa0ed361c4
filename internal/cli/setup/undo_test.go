package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A dry run says of each file what the undo does to it.
func TestUndoDryRun(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	j := journal{}
	want := map[string]string{}
	for _, c := range []struct {
		file, now, want string
		existed         bool
	}{
		{"new", "left", "to be removed", false},
		{"kept", "left", "to be put back as it was", true},
		{"edited", "other", "edited by another since, so only the entry of this program is to be taken out", true},
		{"gone", "", "it is gone already", true},
	} {
		if c.now != "" {
			testkit.Must(t, os.WriteFile(name(c.file), []byte(c.now), 0o600))
		}
		j.Files = append(j.Files, fileDone{File: name(c.file), Client: "cursor", Existed: c.existed, Was: []byte("was"), Left: []byte("left")})
		want[name(c.file)] = c.want
	}
	testkit.Must(t, j.save(name("journal")))
	all, err := Undo(UndoOptions{Journal: name("journal"), DryRun: true})
	testkit.Must(t, err)
	for _, u := range all {
		if u.Did != want[u.What] {
			t.Errorf("%s: %s, want %s", u.What, u.Did, want[u.What])
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d of %d", len(all), len(want))
	}
}
