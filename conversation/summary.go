package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A summaryState says how far the summary is that is being made. There is one at a
// time.
type summaryState int

const (
	idle    summaryState = iota // no summary is being made
	asking                      // Options.Summarize is called; then its answer waits for the turn
	saving                      // the answer goes to the journal, and then into the window
	telling                     // Options.OnError is told of a failure
	dropped                     // nobody wants the summary any more, but its maker still waits for an answer
)

// summaries is the state machine of the summaries of one Memory. A summaryMaker
// makes the summaries, in the goroutine of an Append or in one of its own. The
// events are methods, which hold Memory.mu from beginning to end:
//
//	state    event                                     next     method
//	idle     an Append; a summary is due               asking   beginSummary
//	asking   an answer, and the maker has the turn     saving   acceptSummary
//	asking   an error, or an answer of no use          telling  failSummary
//	asking   the Append's context had ended before     idle     endSummary
//	asking   Clear, Import or Close                    dropped  drop
//	saving   stored; the next summary is due           asking   finishSummary
//	saving   stored; none is due, or Close has come    idle     finishSummary
//	saving   the journal refused it                    telling  refuseSummary
//	telling  OnError has returned, or panicked         idle     endSummary
//	dropped  the maker has noticed                     idle     endSummary
//	dropped  the call was abandoned at its deadline    telling  failSummary
//
// The maker holds the turn in the state saving. So Clear and Import, which take the
// turn, never come then; Close may, and lets the maker finish. In the other states
// the maker holds no lock, and Append goes on. In the state telling, failSummary
// begins the pause after a failure, also after refuseSummary; then OnError is called.
//
// An Append begins nothing while the state is not idle, the pause after a failure is
// not over, or the memory is closed. Wait returns in the state idle.
type summaries struct {
	state  summaryState
	ended  chan struct{}           // closed when the state becomes idle; nil: it is idle
	cancel context.CancelCauseFunc // cancels the maker's context; nil: it is idle

	pause   pause
	least   int     // tokens that the next summary must replace, since the last was too long
	unsaved *Record // a summary that the journal refused
	told    int     // messages in the window when blocked last returned an error
}

// Why a summary is dropped.
var (
	errReplaced = errors.New("the conversation was replaced")
	errClosing  = errors.New("the conversation is being closed")
	errNotAsked = errors.New("the context of the Append had ended")
)

// isDrop reports whether a summary ended without success and without failure.
func isDrop(err error) bool {
	return errors.Is(err, errReplaced) || errors.Is(err, errClosing) || errors.Is(err, errNotAsked)
}

// drop makes the maker stop: its answer is not wanted.
func (s *summaries) drop(why error) {
	if s.state == asking {
		s.state = dropped
		s.cancel(why)
	}
}

// replaced notes that the conversation is another one. What was learnt about its
// summaries is forgotten; the pause stays, for the model is the same.
func (s *summaries) replaced() {
	s.drop(errReplaced)
	s.least, s.unsaved, s.told = 0, nil, 0
}

// rest makes the state idle.
func (s *summaries) rest() {
	close(s.ended)
	s.cancel(nil)
	s.state, s.ended, s.cancel = idle, nil, nil
}

// A draft is a summary that is to be made.
type draft struct {
	cover
	previous string
	evidence []string // of the previous summary
	unsaved  *Record
}

// draft returns the next summary that is due. mu is held.
func (m *Memory) draft() (draft, bool) {
	t := m.o.trigger()
	t.least = m.summaries.least
	c, due := m.window.due(t)
	if !due {
		return draft{}, false
	}
	return draft{cover: c, previous: m.summary, evidence: m.evidence, unsaved: m.summaries.unsaved}, true
}

// beginSummary returns the maker of a summary that is due and may be tried now, or
// nil. blocked is an error for OnError.
func (m *Memory) beginSummary(caller context.Context, now time.Time) (maker *summaryMaker, blocked error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.summaries
	if m.closed || s.state != idle || !s.pause.over(now) {
		return nil, nil
	}
	d, due := m.draft()
	if !due {
		return nil, m.blocked()
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(caller))
	s.state, s.ended, s.cancel = asking, make(chan struct{}), cancel
	return &summaryMaker{m: m, caller: caller, ctx: ctx, ended: s.ended, draft: d}, nil
}

// acceptSummary reports whether the answer is still wanted. The turn is held.
func (m *Memory) acceptSummary() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.summaries.state != asking {
		return false
	}
	m.summaries.state = saving
	return true
}

// finishSummary puts the summary r in the place of the messages that it covers.
// Messages that came in the meantime stay behind it. It returns the next summary
// that is due. The turn is held.
func (m *Memory) finishSummary(start int, r Record) (next draft, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replace(start, r)
	s := &m.summaries
	s.pause.fails, s.least, s.unsaved, s.told = 0, 0, nil, 0
	if !m.closed {
		next, due = m.draft()
	}
	if due {
		s.state = asking
	} else {
		s.rest()
	}
	return next, due
}

// refuseSummary notes that the journal refused a summary, and keeps the summary for
// the next try. The turn is held.
func (m *Memory) refuseSummary(r *Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.summaries.state, m.summaries.unsaved = telling, r
}

// failSummary begins a pause after a failure.
func (m *Memory) failSummary(err error, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.summaries
	var long *tooLongError
	if s.state == asking && errors.As(err, &long) {
		s.least = long.least
	}
	s.state = telling
	s.pause.grow(now)
}

// endSummary makes the state idle if the maker with this channel has not done so.
func (m *Memory) endSummary(ended chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.summaries.ended == ended {
		m.summaries.rest()
	}
}

// summaryEnd returns a channel that is closed when the state becomes idle, or nil if
// it is idle.
func (m *Memory) summaryEnd() chan struct{} {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.summaries.ended
}

// blocked returns an error if a call without a result keeps the window from
// shrinking. It does so each time that the window has doubled. mu is held.
func (m *Memory) blocked() error {
	n := len(m.window.entries)
	if n < 2*m.summaries.told || !m.window.blocked(m.o.trigger()) {
		return nil
	}
	m.summaries.told = n
	open := OpenCalls(m.window.messages())
	if len(open) == 0 {
		return nil
	}
	return fmt.Errorf("no summary of %d messages: the call %s of %s has no result, and no provider accepts that: "+
		"append a result, or Clear",
		n, clip.Text(open[0].ID), clip.Text(open[0].Name))
}

const (
	mostPauseMessages = 64
	firstPause        = time.Second
	mostPause         = 5 * time.Minute
)

// A pause keeps a summary from being tried again right after a failure. It ends
// after some messages or after some time. Both double with each failure in a row.
type pause struct {
	fails   int       // in a row
	further int       // messages since the last failure
	opens   time.Time // when it ends by time
}

func (p *pause) over(now time.Time) bool {
	return p.fails == 0 || p.further >= min(1<<min(p.fails-1, 6), mostPauseMessages) || !now.Before(p.opens)
}

func (p *pause) grow(now time.Time) {
	p.opens = now.Add(min(firstPause<<min(p.fails, 10), mostPause))
	p.fails++
	p.further = 0
}
