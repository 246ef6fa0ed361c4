//go:build unix

package dbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A link in the place of the reserve is neither filled nor emptied.
func TestReserveReplaced(t *testing.T) {
	for _, make := range []func(to, name string) error{os.Symlink, os.Link} {
		dir := t.TempDir()
		precious := filepath.Join(dir, "precious")
		text := strings.Repeat("of somebody else ", 1000)
		testkit.Must(t, os.WriteFile(precious, []byte(text), 0o600))
		r := ReserveOf(filepath.Join(dir, "a.db"))
		testkit.Must(t, make(precious, r.name()))
		if r.Fill() || r.Release() {
			t.Error("Fill or Release says that it has done something")
		}
		if got, err := os.ReadFile(precious); err != nil || string(got) != text {
			t.Errorf("the other file holds %d bytes, %v; want %d", len(got), err, len(text))
		}
	}
}
