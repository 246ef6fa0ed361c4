package flags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
)

// A Rate is [auth.Rate] on the command line: N or N:BURST. Its zero value says that it was
// not given; 0 on the command line is no limit, a PerSecond of -1.
type Rate struct{ auth.Rate }

const (
	maxRate    = 1e6
	burstTimes = 4 // a burst, if none is given
)

// UnmarshalText is kong's hook.
func (r *Rate) UnmarshalText(text []byte) error {
	n, burst, hasBurst := strings.Cut(string(text), ":")
	perSecond, err := strconv.ParseFloat(n, 64)
	if err != nil || !(perSecond >= 0 && perSecond <= maxRate) {
		return fmt.Errorf("must be N or N:BURST, calls a second from 0 to %d, not %q", int(maxRate), text)
	}
	if perSecond == 0 && !hasBurst {
		r.Rate = auth.Rate{PerSecond: -1}
		return nil
	}
	r.Rate = auth.Rate{PerSecond: perSecond, Burst: max(1, int(burstTimes*perSecond))}
	if hasBurst {
		r.Burst, err = strconv.Atoi(burst)
		if err != nil || r.Burst < 1 || r.Burst > maxRate || perSecond == 0 {
			return fmt.Errorf("must be N or N:BURST, a rate above 0 and a burst from 1 to %d, not %q", int(maxRate), text)
		}
	}
	return nil
}
