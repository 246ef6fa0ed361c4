package console

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	healthEvery = 10               // seconds after which the page is fetched again
	healthTime  = 15 * time.Second // for an answer
	hourPages   = 200              // of journals that the page reads
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
	Hour     []Fact // what was written in the last hour
	Counts   []Fact
	Versions []Fact
}

// A healthCheck is a check with the word and the class of its status.
type healthCheck struct {
	Check
	Word, Class string
}

type statusWords struct {
	status      Status
	word, class string
	noun        string // for the summary; "": it has no part in it
}

// statuses are those of checks, in the order of the page.
var statuses = []statusWords{
	{StatusFailure, "Fail", "bad", "failure"},
	{StatusWarning, "Look", "warn", "warning"},
	{StatusOK, "OK", "ok", ""},
}

// health shows how the server does.
func (v *visit) health() error {
	o := v.h.o
	switch {
	case !v.person.Metrics:
		return errNoMetrics
	case o.Health == nil:
		return errNothingHere
	}
	d := healthData{Checked: o.Now()}
	found, err := v.h.askHealth(v.r.Context())
	if err != nil {
		o.Logger.WarnContext(v.r.Context(), "console: the health of the server is not known", "error", err)
		d.Summary, d.Problem = "Not known", "It cannot be found out now how the server does. The log of the server "+
			"says why. This page tries again by itself."
	} else {
		d.setChecks(found.Checks)
		d.Counts, d.Versions = found.Counts, found.Versions
		d.Hour, _ = v.lastHour() // if it cannot be read, the checks say why
	}
	v.place = place{Part: "Health", Every: healthEvery}
	return v.render("health", "Health", d)
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
	var found []string
	for i, s := range statuses {
		n := int64(0)
		for _, c := range checks {
			if i == max(0, slices.IndexFunc(statuses, func(s statusWords) bool { return s.status == c.Status })) {
				d.Checks = append(d.Checks, healthCheck{c, s.word, s.class})
				n++
			}
		}
		if n > 0 && s.noun != "" {
			found = append(found, plural(n, s.noun))
		}
	}
	d.Summary = cmp.Or(strings.Join(found, ", "), "Everything is well")
}

// lastHour counts what the journals of the person's tenant have of the last hour, whichever
// process wrote it.
func (v *visit) lastHour() ([]Fact, error) {
	since, least := v.h.o.Now().Add(-time.Hour), ""
	var agents, files, entries, deletions int64
	found, err := v.person.Service.Agents(v.r.Context(), workspace.AgentsQuery{
		Patterns: []string{"*"}, Order: store.ByUpdated, Limit: hourPages})
	if err != nil {
		return nil, err
	}
	left := hourPages
	for _, a := range found.Agents {
		if !a.Updated.After(since) {
			found.Next = ""
			break
		}
		agents++
		ws, err := v.person.Service.Look(a.Agent)
		if err != nil {
			return nil, err
		}
		for before := int64(0); ; left-- {
			if left == 0 {
				least = "at least "
				break
			}
			page, err := ws.ChangeLog(v.r.Context(), workspace.ChangeLogQuery{Before: before})
			if err != nil {
				return nil, err
			}
			for _, c := range page.Changes {
				switch {
				case !c.Time.After(since):
					page.Next = 0
				case c.Op == workspace.OpDelete:
					deletions++
				case c.Kind == workspace.KindLog:
					entries += c.Entries
				default:
					files++
				}
			}
			if before = page.Next; before == 0 {
				break
			}
		}
	}
	written := formatNumber(agents)
	if found.Next != "" {
		least, written = "at least ", "at least "+written
	}
	return []Fact{{"Agents", written}, {"File changes", least + formatNumber(files)},
		{"Log entries", least + formatNumber(entries)}, {"Deletions", least + formatNumber(deletions)}}, nil
}
