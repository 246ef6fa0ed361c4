package summarize

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	mostTries       = 3
	firstPause      = time.Second
	mostAfter       = 365 * 24 * time.Hour
	timeShownInDays = 48 * time.Hour
)

// ask sends a request up to three times within the timeout.
func (p *provider) ask(caller context.Context, body []byte, sent int) (answer, *trouble) {
	ctx, cancel := context.WithTimeout(caller, p.timeout)
	defer cancel()
	until := p.hooks.now().Add(p.timeout)
	if d, ok := caller.Deadline(); ok && d.Before(until) {
		until = d
	}
	var lost int64 // tokens spent on failed tries
	for try := 1; ; try++ {
		a, t := p.send(ctx, body, sent)
		if t == nil {
			a.spent += lost
			return a, nil
		}
		lost += t.spent
		t.spent = lost
		if ctx.Err() != nil {
			return answer{}, p.ended(caller, t)
		}
		pause := max(backoff(try), t.after)
		if !t.retry || try == mostTries || pause >= until.Sub(p.hooks.now()) {
			if t.after > 0 {
				at := p.hooks.now().Add(t.after).UTC().Format("2006-01-02T15:04Z")
				t.text += "; try again in " + shownWait(t.after) + ", at " + at
			}
			return answer{}, t
		}
		if p.hooks.wait(ctx, pause) != nil {
			return answer{}, p.ended(caller, t)
		}
	}
}

// ended returns the trouble of a call that its caller stopped or whose timeout has
// passed.
func (p *provider) ended(caller context.Context, before *trouble) *trouble {
	var t *trouble
	if caller.Err() != nil {
		t = p.fails("stopped: %v", caller.Err())
		t.cause = caller.Err()
	} else {
		t = p.fails("no answer within %s; try again later, or set a longer timeout (--summary-timeout)", p.timeout)
	}
	t.spent = before.spent
	return t
}

// backoff returns the pause after so many tries: one second, doubled with each try,
// less a random part of up to a half.
func backoff(tries int) time.Duration {
	pause := firstPause << (tries - 1)
	return pause - rand.N(pause/2)
}

// retryAfter reads the header Retry-After, which is in seconds or a date. The result
// is at most a year; it is 0 if the header is missing or not valid.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	var after time.Duration
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		after = time.Duration(min(seconds, mostAfter.Seconds()) * float64(time.Second))
	} else if date, err := http.ParseTime(value); err == nil {
		after = date.Sub(now)
	}
	return min(max(after, 0), mostAfter)
}

// shownWait formats a wait, rounded up so that nobody comes back too early.
func shownWait(d time.Duration) string {
	if d > timeShownInDays {
		return strconv.Itoa(int((d+24*time.Hour-1)/(24*time.Hour))) + " days"
	}
	return (d + time.Second - 1).Truncate(time.Second).String()
}
