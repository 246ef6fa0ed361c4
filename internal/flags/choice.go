package flags

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Durability is [sqlite.Durability] on the command line.
type Durability struct{ sqlite.Durability }

// UnmarshalText is kong's hook.
func (d *Durability) UnmarshalText(text []byte) error {
	for _, known := range []sqlite.Durability{sqlite.Full, sqlite.Normal} {
		if string(text) == known.String() {
			d.Durability = known
			return nil
		}
	}
	return fmt.Errorf("must be full or normal, not %q", text)
}

// PathRule is [workspace.PathRule] on the command line.
type PathRule struct{ workspace.PathRule }

// UnmarshalText is kong's hook.
func (r *PathRule) UnmarshalText(text []byte) error {
	for _, known := range []workspace.PathRule{workspace.ASCIIPaths, workspace.UnicodePaths} {
		if string(text) == known.String() {
			r.PathRule = known
			return nil
		}
	}
	return fmt.Errorf("must be ascii or unicode, not %q", text)
}
