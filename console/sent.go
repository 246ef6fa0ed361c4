package console

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxFormAge   = time.Hour       // for which a form can be sent
	maxFormAhead = 5 * time.Minute // by which the clock of another server may be ahead
	maxSentForms = 4096            // that are remembered
)

// newStamp returns a stamp for a form that must not count twice. It is random, and has the
// time when the form was made.
func newStamp(now time.Time) string { return strconv.FormatInt(now.Unix(), 36) + "-" + rand.Text() }

// stampTime returns when the form with a stamp was made.
func stampTime(stamp string) (made time.Time, ok bool) {
	seconds, random, _ := strings.Cut(stamp, "-")
	n, err := strconv.ParseInt(seconds, 36, 64)
	return time.Unix(n, 0), err == nil && len(random) == len(rand.Text()) && len(stamp) < 48
}

// sentForms remembers forms that were sent and did something, such as making a key. So a
// page that a browser loads again, which sends its form again, does that no second time.
// A form is remembered for an hour, for as long as it can be sent, and only while there are
// no 4096 newer ones. The zero value is ready, and safe for concurrent use.
type sentForms struct {
	mu    sync.Mutex           // guards what follows
	forms map[string]*sentForm // by person and stamp
	order []string             // of these, the first one sent before the others
}

// A sentForm is one of them.
type sentForm struct {
	name string
	made time.Time     // the form, not what it did
	over chan struct{} // closed when it is known what the form has done

	// What follows does not change after over is closed.
	did     string // the id of what it made or changed; "": that is not known
	nothing bool   // it has changed nothing
}

// begin returns the form of a person with a stamp, and whether it is sent for the first
// time. The caller must then call end or endNothing. Otherwise begin has waited for that.
// ok is false if the stamp is none, or too old. Errors: that of ctx.
func (s *sentForms) begin(
	ctx context.Context, person, stamp string, now time.Time,
) (f *sentForm, first, ok bool, err error) {
	made, ok := stampTime(stamp)
	if !ok || now.Sub(made) > maxFormAge || made.Sub(now) > maxFormAhead {
		return nil, false, false, nil
	}
	name := person + "\x00" + stamp
	for {
		s.mu.Lock()
		f := s.forms[name]
		if f == nil {
			f = &sentForm{name: name, made: made, over: make(chan struct{})}
			s.add(f, now)
			s.mu.Unlock()
			return f, true, true, nil
		}
		s.mu.Unlock()
		select {
		case <-f.over:
		case <-ctx.Done():
			return nil, false, true, ctx.Err()
		}
		if !f.nothing {
			return f, false, true, nil
		}
	}
}

// add remembers a form, and forgets those that are too old to be sent.
func (s *sentForms) add(f *sentForm, now time.Time) {
	if s.forms == nil {
		s.forms = map[string]*sentForm{}
	}
	for len(s.order) > 0 {
		if now.Sub(s.forms[s.order[0]].made) <= maxFormAge && len(s.order) < maxSentForms {
			break
		}
		delete(s.forms, s.order[0])
		s.order = s.order[1:]
	}
	s.forms[f.name] = f
	s.order = append(s.order, f.name)
}

// end says what a form has made or changed, by its id. With the id "" it may have.
func (s *sentForms) end(f *sentForm, id string) {
	f.did = id
	close(f.over)
}

// endNothing says that a form has changed nothing. It can be sent again.
func (s *sentForms) endNothing(f *sentForm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forms[f.name] == f {
		delete(s.forms, f.name)
		s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == f.name })
	}
	f.nothing = true
	close(f.over)
}
