package flags

import (
	"fmt"

	"github.com/alecthomas/kong"

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

// SecretRule is [workspace.SecretRule] on the command line. Only doctor takes it without a value.
type SecretRule struct {
	workspace.SecretRule
	Look bool // there is no value
}

// Decode is kong's hook.
func (r *SecretRule) Decode(ctx *kong.DecodeContext) error {
	if next := ctx.Scan.Peek(); next.IsEOL() || !next.IsValue() {
		r.Look = true
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	for known := workspace.SecretsOff; known <= workspace.SecretsRefuse; known++ {
		if text == known.String() {
			*r = SecretRule{SecretRule: known}
			return nil
		}
	}
	return fmt.Errorf("must be off, warn or refuse, not %q", text)
}
