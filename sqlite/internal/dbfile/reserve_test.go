//go:build unix

package dbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A link in the place of the reserve is neither filled nor emptied.
func TestReserveReplaced(t *testing.T) {
	for _, make := range []func(to, name string) error{os.Symlink, os.Link} {
		dir := t.TempDir()
		precious := filepath.Join(dir, "precious")
		text := strings.Repeat("of somebody else ", 1000)
		if err := os.WriteFile(precious, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := ReserveOf(filepath.Join(dir, "a.db"))
		if err := make(precious, r.name()); err != nil {
			t.Fatal(err)
		}
		if r.Fill() || r.Release() {
			t.Error("Fill or Release says that it has done something")
		}
		if got, err := os.ReadFile(precious); err != nil || string(got) != text {
			t.Errorf("the other file holds %d bytes, %v; want %d", len(got), err, len(text))
		}
	}
}
