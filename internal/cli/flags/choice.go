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

// SecretRule is [workspace.SecretRule] on the command line.
type SecretRule struct{ workspace.SecretRule }

// UnmarshalText is kong's hook.
func (r *SecretRule) UnmarshalText(text []byte) error {
	for known := workspace.SecretsOff; known <= workspace.SecretsRefuse; known++ {
		if string(text) == known.String() {
			r.SecretRule = known
			return nil
		}
	}
	return fmt.Errorf("must be off, warn or refuse, not %q", text)
}
