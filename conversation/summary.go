package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// The pauses after a failed summary: the next try opens after further messages or
// after a time, each doubling.
const (
	mostPauseMessages = 64
	firstPause        = time.Second
	mostPause         = 5 * time.Minute

	// mostAbandoned bounds the calls that were abandoned and still run.
	mostAbandoned = 8

	// A text that is no longer than this may be longer than what it replaces.
	shortSummary = 256 // tokens
)

// Why a summary that is being made is stopped.
var (
	errDiscarded = errors.New("the conversation was replaced")
	errClosing   = errors.New("the conversation is being closed")
)

// work is the one summary that may be made at a time, and what is known of those
// before.
type work struct {
	ended  chan struct{}           // closed at the end; nil: none is being made
	cancel context.CancelCauseFunc // of what is being made

	fails   int       // in a row
	further int       // messages since the last failure
	opens   time.Time // when the next try opens, whatever came
	least   int       // tokens that a summary must replace, after one that was too long
	hanging int       // calls of the summariser that run, those that were abandoned with them
	unsaved *Record   // a summary that the journal did not take
	told    int       // messages in the window when OnError was last told that it cannot shrink
}

// stop ends what is being made.
func (w *work) stop(cause error) {
	if w.cancel != nil {
		w.cancel(cause)
	}
}

// open says whether a summary may be tried.
func (w *work) open(now time.Time) bool {
	return w.fails == 0 || w.further >= min(1<<min(w.fails-1, 6), mostPauseMessages) || !now.Before(w.opens)
}

// failed notes a failure.
func (w *work) failed(now time.Time) {
	w.opens = now.Add(min(firstPause<<min(w.fails, 10), mostPause))
	w.fails++
	w.further = 0
}

// discard makes what is being made, or waits to be saved, one of a conversation
// that is no more.
func (m *Memory) discard() {
	m.epoch++
	m.work.stop(errDiscarded)
	m.work.least, m.work.unsaved, m.work.told = 0, nil, 0
}

// A draft is a summary that is to be made.
type draft struct {
	cover
	epoch    int
	previous string
	evidence []string // that comes with the previous one
	unsaved  *Record
}

// draft returns the next one that is due. m.mu is held.
func (m *Memory) draft() (draft, bool) {
	t := m.o.trigger()
	t.least = m.work.least
	c, due := m.window.due(t)
	if !due {
		return draft{}, false
	}
	return draft{cover: c, epoch: m.epoch, previous: m.summary, evidence: m.evidence, unsaved: m.work.unsaved}, true
}

// summarizeDue makes the summaries that are due, or starts a goroutine for them.
func (m *Memory) summarizeDue(ctx context.Context) {
	now := m.o.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.work.ended != nil || !m.work.open(now) {
		return
	}
	d, due := m.draft()
	if !due {
		m.tellBlocked()
		return
	}
	m.work.ended = make(chan struct{})
	if m.o.Background {
		go m.summarizeAll(context.WithoutCancel(ctx), d)
		return
	}
	m.mu.Unlock()
	defer m.mu.Lock()
	m.summarizeAll(ctx, d)
}

// tellBlocked tells OnError of a window that grows because of a call without a
// result, each time it has doubled. m.mu is held, and given up for the call.
func (m *Memory) tellBlocked() {
	n := len(m.window.entries)
	if n < 2*m.work.told || !m.window.blocked(m.o.trigger()) {
		return
	}
	m.work.told = n
	open := OpenCalls(m.window.messages())
	if len(open) == 0 {
		return
	}
	m.mu.Unlock()
	defer m.mu.Lock()
	m.o.OnError(fmt.Errorf("no summary of %d messages: the call %s of %s has no result, and no provider takes it: append one, or Clear", n, clip.Text(open[0].ID), clip.Text(open[0].Name)))
}

// summarizeAll makes one summary after the other until none is due or one fails.
func (m *Memory) summarizeAll(ctx context.Context, d draft) {
	ended := false
	end := func() {
		ended = true
		close(m.work.ended)
		m.work.ended, m.work.cancel = nil, nil
	}
	defer func() {
		if !ended { // OnError panicked or left
			m.mu.Lock()
			defer m.mu.Unlock()
			end()
		}
	}()
	for !ended {
		err := m.summarize(ctx, d)
		if err != nil && !errors.Is(err, errDiscarded) && !errors.Is(err, errClosing) {
			now := m.o.Now()
			m.mu.Lock()
			m.work.failed(now)
			m.mu.Unlock()
			m.o.OnError(fmt.Errorf("summary of %d messages: %w", len(d.msgs), err))
		}
		m.mu.Lock()
		more := err == nil && !m.closed
		if more {
			d, more = m.draft()
		}
		if !more {
			end()
		}
		m.mu.Unlock()
	}
}

// summarize makes one summary: the model first, then the journal, then the window.
func (m *Memory) summarize(caller context.Context, d draft) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(caller))
	defer cancel(nil)
	m.mu.Lock()
	m.work.cancel = cancel
	stopped := m.closed || m.epoch != d.epoch
	m.mu.Unlock()
	if stopped {
		return errDiscarded
	}
	r := d.unsaved
	if r == nil || r.Through != d.through {
		evidence := gatherEvidence(d.msgs, d.evidence, m.o.Evidence)
		text, err := m.ask(caller, ctx, d, evidence)
		if err != nil {
			return err
		}
		r = &Record{Kind: SummaryRecord, Summary: text, Through: d.through, Evidence: evidence}
	}
	// Whoever waited for the model waits for the record too: it is paid.
	if err := m.take(ctx); err != nil {
		return errDiscarded
	}
	defer m.release()
	m.mu.RLock()
	stopped = m.epoch != d.epoch
	m.mu.RUnlock()
	if stopped {
		return errDiscarded
	}
	records := []Record{*r}
	var err error
	if !d.imported { // otherwise it stands for messages that the journal has not
		err = m.write(context.WithoutCancel(ctx), records)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.work.unsaved = r
		return err
	}
	m.replace(d.start, records[0]) // what came since stands behind
	m.work.fails, m.work.least, m.work.unsaved, m.work.told = 0, 0, nil, 0
	return nil
}

// ask calls the summariser, and refuses an answer that would make things worse.
func (m *Memory) ask(caller, ctx context.Context, d draft, evidence []string) (string, error) {
	text, err := m.call(caller, ctx, Request{
		Previous: d.previous, Messages: cloneAll(d.msgs), Evidence: append([]string(nil), evidence...), MaxTokens: m.o.SummaryTokens,
	})
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(text) == "":
		return "", errors.New("the summariser returned no text")
	case !utf8.ValidString(text):
		return "", errors.New("the summariser returned bytes that are no valid UTF-8")
	}
	length := tokens.Estimate(text)
	replaced := tokens.Estimate(d.previous)
	for _, msg := range d.msgs {
		replaced += EstimateTokens(msg)
	}
	if length > shortSummary && length > replaced {
		m.mu.Lock()
		m.work.least = 2 * (replaced - tokens.Estimate(d.previous))
		m.mu.Unlock()
		return "", fmt.Errorf("the summary has about %d tokens, what it replaces %d: it is tried again with more messages", length, replaced)
	}
	return text, nil
}

// call calls the summariser in a goroutine of its own, so that one that hangs can
// be abandoned: at its deadline, when the caller leaves, and when the conversation
// is replaced. Close waits for it, until the deadline.
func (m *Memory) call(caller, ctx context.Context, r Request) (string, error) {
	if caller.Err() != nil {
		return "", errDiscarded // it left before, and nothing was asked
	}
	m.mu.RLock()
	hanging := m.work.hanging
	m.mu.RUnlock()
	if hanging >= mostAbandoned {
		return "", fmt.Errorf("%d calls of the summariser that were abandoned still run: it should heed its context", hanging)
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.SummarizeTimeout)
	defer cancel()
	deadline := time.NewTimer(m.o.SummarizeTimeout)
	defer deadline.Stop()
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	m.countHanging(1)
	go func() {
		a := answer{err: errors.New("the summariser ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("the summariser panicked: %v", p)
			}
			m.countHanging(-1)
			answered <- a
		}()
		a.text, a.err = m.o.Summarize(ctx, r)
	}()
	stopped := ctx.Done()
	left := caller.Done()
	for {
		select {
		case a := <-answered:
			if cause := context.Cause(ctx); errors.Is(cause, errDiscarded) || errors.Is(cause, errClosing) {
				return "", cause
			}
			return a.text, a.err
		case <-left:
			select {
			case a := <-answered:
				return a.text, a.err
			default:
				return "", caller.Err()
			}
		case <-deadline.C:
			return "", fmt.Errorf("the summariser was abandoned after %v: %w", m.o.SummarizeTimeout, context.DeadlineExceeded)
		case <-stopped:
			switch cause := context.Cause(ctx); {
			case errors.Is(cause, errClosing):
				stopped = nil // until it returns, or the deadline
			case errors.Is(cause, errDiscarded):
				return "", errDiscarded
			default:
				stopped = nil // the deadline, which the timer tells too
			}
		}
	}
}

// countHanging counts the calls of the summariser that run.
func (m *Memory) countHanging(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.work.hanging += n
}
