package flags

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

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
