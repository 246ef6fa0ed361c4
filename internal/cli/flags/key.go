package flags

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// A Span is a [time.Duration] from 0, also in days, such as 90d.
type Span struct{ time.Duration }

const (
	day     = 24 * time.Hour
	maxDays = int64(math.MaxInt64 / day)
)

// UnmarshalText is kong's hook.
func (s *Span) UnmarshalText(text []byte) (err error) {
	days, inDays := strings.CutSuffix(string(text), "d")
	if n, err := strconv.ParseInt(days, 10, 64); inDays && err == nil && n >= 0 && n <= maxDays {
		s.Duration = time.Duration(n) * day
		return nil
	}
	if s.Duration, err = time.ParseDuration(string(text)); err != nil || s.Duration < 0 {
		return fmt.Errorf("must be a time such as 90m, 24h or 30d, not %.40q", text)
	}
	return nil
}

// A Wait is how long to wait for a server. PostgreSQL would take 0 for no limit.
type Wait struct{ time.Duration }

// UnmarshalText is kong's hook.
func (w *Wait) UnmarshalText(text []byte) error {
	var s Span
	if s.UnmarshalText(text) != nil || s.Duration < time.Millisecond || s.Duration > day {
		return fmt.Errorf("must be a time from 1ms to 24h, such as 90s, not %.40q", text)
	}
	w.Duration = s.Duration
	return nil
}

// A Lifetime is how long something lives from now. Never is 0.
type Lifetime struct{ time.Duration }

// UnmarshalText is kong's hook.
func (l *Lifetime) UnmarshalText(text []byte) error {
	var s Span
	if string(text) != "never" && (s.UnmarshalText(text) != nil || s.Duration == 0) {
		return fmt.Errorf("must be a time above 0 such as 90m, 24h or 30d, or never; not %.40q", text)
	}
	l.Duration = s.Duration
	return nil
}

// A Rate is a number of calls a second, and how many may come at once. The zero Rate is
// the default of the server, and a Burst of 0 four times PerSecond.
type Rate struct{ auth.Rate }

// UnmarshalText is kong's hook.
func (r *Rate) UnmarshalText(text []byte) error {
	*r = Rate{}
	if string(text) == "default" {
		return nil
	}
	rate, burst, given := strings.Cut(string(text), ":")
	n, err := strconv.ParseFloat(rate, 64)
	if err == nil && given {
		r.Burst, err = strconv.Atoi(burst)
	}
	if err != nil || !(n > 0) || math.IsInf(n, 0) || given && r.Burst < 1 {
		return fmt.Errorf("must be calls a second and maybe calls at once, such as 5 or 5:20, or default; not %.40q",
			text)
	}
	r.PerSecond = n
	return nil
}

// A Bound is a limit: a number from 1, default, or none.
type Bound int64

// UnmarshalText is kong's hook. The default becomes 0, and no limit -1.
func (b *Bound) UnmarshalText(text []byte) error {
	switch s := string(text); s {
	case "default":
		*b = 0
	case "none":
		*b = -1
	default:
		n, err := strconv.ParseInt(s, 0, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("must be a whole number from 1, default, or none; not %.40q", s)
		}
		*b = Bound(n)
	}
	return nil
}
