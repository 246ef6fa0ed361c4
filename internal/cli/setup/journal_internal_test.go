package setup

import (
	"slices"
	"testing"
)

// Undo removes folders from the last to the first, so a folder comes before those in it, in
// whatever order two setups note them.
func TestAddFolders(t *testing.T) {
	j := journal{Folders: []string{"/home/me/.local/share", "/home/me/.local/share/scratchpad"}}
	j.addFolders([]string{"/home/me/.local", "/home/me/.local/share"})
	if want := []string{"/home/me/.local", "/home/me/.local/share", "/home/me/.local/share/scratchpad"}; !slices.Equal(j.Folders, want) {
		t.Errorf("the folders are %q, want %q", j.Folders, want)
	}
}
