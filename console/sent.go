package console

import (
	"crypto/rand"
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

// isFresh reports whether a form with the stamp can be sent.
func isFresh(stamp string, now time.Time) bool {
	seconds, random, _ := strings.Cut(stamp, "-")
	n, err := strconv.ParseInt(seconds, 36, 64)
	age := now.Sub(time.Unix(n, 0))
	return err == nil && len(random) == len(rand.Text()) && len(stamp) < 48 && age <= maxFormAge && age >= -maxFormAhead
}

// sentForms remembers forms that were sent and may have done something, such as making a key.
// So a page that a browser loads again, which sends its form again, does that no second time.
// A form is remembered while there are no 4096 newer ones. The zero value is ready, and safe
// for concurrent use.
type sentForms struct {
	mu    sync.Mutex        // guards what follows
	did   map[string]string // the id of what a form made or changed; "": that is not known
	order []string          // of the forms, the first one sent before the others
}

// get returns what a form did. ok is false if it was not sent, or did nothing.
func (s *sentForms) get(form string) (did string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	did, ok = s.did[form]
	return did, ok
}

// put says what a form did.
func (s *sentForms) put(form, did string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.did == nil {
		s.did = map[string]string{}
	}
	if s.did[form] = did; did == "" {
		s.order = append(s.order, form)
	}
	if len(s.order) > maxSentForms {
		delete(s.did, s.order[0])
		s.order = s.order[1:]
	}
}

// forget says that a form did nothing. It can be sent again.
func (s *sentForms) forget(form string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.did, form)
}
