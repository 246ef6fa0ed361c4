package console

import "sync"

const maxSentForms = 4096 // that are remembered

// sentForms remembers forms that were sent and may have done something, such as making a key.
// So a page that a browser loads again, which sends its form again, does that no second time.
// The zero value is ready, and safe for concurrent use.
type sentForms struct {
	mu  sync.Mutex // guards all
	all map[string]bool
}

// add remembers a form. It reports false if the form was sent before.
func (s *sentForms) add(form string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[form] {
		return false
	}
	if s.all == nil || len(s.all) >= maxSentForms {
		s.all = map[string]bool{} // the old ones are hardly sent again
	}
	s.all[form] = true
	return true
}

// forget says that a form did nothing. It can be sent again.
func (s *sentForms) forget(form string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, form)
}
