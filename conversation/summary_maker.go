package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// shortSummary is the tokens of a text that may be longer than what it replaces.
const shortSummary = 256

// A summaryMaker makes summaries until none is due or one fails. It moves the
// Memory through the states of [summaries].
type summaryMaker struct {
	m      *Memory
	caller context.Context // of the Append; it never ends if Options.Background is set
	ctx    context.Context // ends when the summary is dropped
	ended  chan struct{}   // of this run
	draft  draft
}

// summarizeDue makes the summaries that are due, or starts a goroutine for them.
func (m *Memory) summarizeDue(ctx context.Context) {
	if m.o.Background {
		ctx = context.WithoutCancel(ctx)
	}
	maker, blocked := m.beginSummary(ctx, m.o.Now())
	switch {
	case blocked != nil:
		m.o.OnError(blocked)
	case maker == nil:
	case m.o.Background:
		go maker.run()
	default:
		maker.run()
	}
}

func (k *summaryMaker) run() {
	defer k.m.endSummary(k.ended) // even if OnError panics
	for k.makeOne() {
	}
}

// makeOne makes one summary, and reports whether the next one is due.
func (k *summaryMaker) makeOne() bool {
	r, err := k.answer()
	if err == nil {
		var due bool
		if due, err = k.save(r); err == nil {
			return due
		}
	}
	if !isDrop(err) {
		k.m.failSummary(err, k.m.o.Now())
		k.m.o.OnError(fmt.Errorf("summary of %d messages: %w", len(k.draft.msgs), err))
	}
	return false
}

// answer returns the summary that the journal refused before, or a new one.
func (k *summaryMaker) answer() (*Record, error) {
	d := &k.draft
	if d.unsaved != nil && d.unsaved.Through == d.through {
		return d.unsaved, nil
	}
	evidence := gatherEvidence(d.msgs, d.evidence, k.m.o.Evidence)
	text, err := k.m.asker.ask(k.caller, k.ctx, Request{
		Previous: d.previous, Messages: cloneAll(d.msgs), Evidence: append([]string(nil),
			evidence...), MaxTokens: k.m.o.SummaryTokens,
	})
	if err != nil {
		return nil, err
	}
	if err := d.useful(text); err != nil {
		return nil, err
	}
	return &Record{Kind: SummaryRecord, Summary: text, Through: d.through, Evidence: evidence}, nil
}

// save writes a summary to the journal, puts it into the window, and reports whether
// the next one is due. A caller that waited for the model waits for this too: the
// answer was paid for.
func (k *summaryMaker) save(r *Record) (due bool, err error) {
	if err := k.m.takeTurn(k.ctx); err != nil {
		return false, context.Cause(k.ctx)
	}
	defer k.m.release()
	if !k.m.acceptSummary() {
		return false, context.Cause(k.ctx)
	}
	records := []Record{*r}
	if !k.draft.imported { // imported messages are not in the journal, and neither is their summary
		if err := k.m.write(context.WithoutCancel(k.ctx), records); err != nil {
			k.m.refuseSummary(r)
			return false, err
		}
	}
	k.draft, due = k.m.finishSummary(k.draft.start, records[0])
	return due, nil
}

// A tooLongError says that a summary is longer than what it replaces.
type tooLongError struct {
	tokens, replaced int
	least            int // tokens of messages that the next try must replace
}

func (e *tooLongError) Error() string {
	return fmt.Sprintf("the summary has about %d tokens, more than the %d that it replaces: it is tried again with "+
		"more messages", e.tokens, e.replaced)
}

// useful returns an error if a text may not replace the messages.
func (d *draft) useful(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the summariser returned no text")
	case !utf8.ValidString(text):
		return errors.New("the summariser returned text that is not valid UTF-8")
	}
	length, previous, messages := tokens.Estimate(text), tokens.Estimate(d.previous), 0
	for _, msg := range d.msgs {
		messages += EstimateTokens(msg)
	}
	if length > shortSummary && length > previous+messages {
		return &tooLongError{tokens: length, replaced: previous + messages, least: 2 * messages}
	}
	return nil
}
