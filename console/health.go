package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
)

const (
	healthEvery = 10               // seconds after which the page is fetched again
	healthTime  = 15 * time.Second // for an answer
)

// errNoMetrics is for a person without Person.Metrics.
var errNoMetrics = &problem{http.StatusForbidden, "Not allowed",
	"Your key may not see how the server does. Ask the operator for one with the scope metrics."}

// healthData is what the page about the server shows.
type healthData struct {
	Checked  time.Time
	Problem  string // why there is nothing to show
	Summary  string
	Checks   []healthCheck
	Counts   []Fact
	Versions []Fact
}

// A healthCheck is a check with the words and the class of its status.
type healthCheck struct {
	Check
	Word, Class string
}

type statusWords struct {
	status      Status
	word, class string
}

// statuses are the words and the classes of statuses, in the order of the page.
var statuses = []statusWords{
	{StatusFailure, "Fail", "bad"},
	{StatusWarning, "Look", "warn"},
	{StatusOK, "OK", "ok"},
}

// health shows how the server does.
func (h *Handler) health(v *visit) error {
	switch {
	case !v.person.Metrics:
		return errNoMetrics
	case h.o.Health == nil:
		return errNothingHere
	}
	d := healthData{Checked: h.o.Now()}
	found, err := h.askHealth(v.r.Context())
	if err != nil {
		h.o.Logger.WarnContext(v.r.Context(), "console: the health of the server is not known", "error", err)
		d.Summary, d.Problem = "Not known", "It cannot be found out now how the server does. The log of the server "+
			"says why. This page tries again by itself."
	} else {
		d.setChecks(found.Checks)
		d.Counts, d.Versions = found.Counts, found.Versions
	}
	return v.render("health", "Health", place{Part: partHealth, Every: healthEvery}, d)
}

// askHealth asks how the server does. A panic is an error: the page is for days when things
// go wrong.
func (h *Handler) askHealth(ctx context.Context) (found Health, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %T\n%s", p, backtrace.Text())
		}
	}()
	return h.o.Health(ctx)
}

// setChecks puts failures before warnings, and these before the rest. A status that is not
// known is a failure.
func (d *healthData) setChecks(checks []Check) {
	counts := map[string]int64{}
	rank := func(s Status) int {
		return max(0, slices.IndexFunc(statuses, func(w statusWords) bool { return w.status == s }))
	}
	for i, s := range statuses {
		for _, c := range checks {
			if rank(c.Status) == i {
				d.Checks, counts[s.class] = append(d.Checks, healthCheck{c, s.word, s.class}), counts[s.class]+1
			}
		}
	}
	switch bad, warn := counts["bad"], counts["warn"]; {
	case bad > 0 && warn > 0:
		d.Summary = plural(bad, "failure") + ", " + plural(warn, "warning")
	case bad > 0:
		d.Summary = plural(bad, "failure")
	case warn > 0:
		d.Summary = plural(warn, "warning")
	default:
		d.Summary = "Everything is well"
	}
}
