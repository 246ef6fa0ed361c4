package flags

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// A ServerRate is the [auth.Rate] of a server: a [Rate] that was given. 0 is no limit, which
// is a PerSecond of -1.
type ServerRate struct{ auth.Rate }

// UnmarshalText is kong's hook.
func (r *ServerRate) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		r.Rate = auth.Rate{PerSecond: -1}
		return nil
	}
	var given Rate
	if err := given.UnmarshalText(text); err != nil || given == (Rate{}) {
		return fmt.Errorf("must be calls a second and maybe calls at once, such as 5 or 5:20, or 0 for no limit; not "+
			"%.40q", text)
	}
	r.Rate = given.Rate
	if r.Burst == 0 {
		const times = 4
		r.Burst = max(1, int(min(times*r.PerSecond, 1e9)))
	}
	return nil
}
