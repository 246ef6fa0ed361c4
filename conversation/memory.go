package conversation

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/evidence"
)

// SummaryPrefix begins the system message that holds the summary.
const SummaryPrefix = "Summary of prior conversation: "

// A Memory holds a conversation as it is sent to a model: the leading system
// messages, a summary of the older messages, and the newest messages verbatim. All
// messages that were ever appended are in its [Journal].
//
// A few models sign their reasoning over all messages before it. They refuse the
// reasoning that was kept once a summary stands before it. A request can ask them
// to ignore such reasoning: see anthropicmsg.DropStaleThinking.
//
// A Memory is safe for concurrent use. It copies what it is given, and what it
// returns belongs to the caller.
type Memory struct {
	o     Options
	asker asker

	// turn is held while something is written to the journal and then applied to the
	// window, so that both have one order. It is taken before mu.
	turn  chan struct{}
	fresh bool // nothing was written, and the journal was not read; guarded by turn

	// mu guards all fields below. It is never held while the Journal or a function of
	// Options is called.
	mu        sync.RWMutex
	system    []Message // the leading ones
	started   bool      // another message than those has come
	window    window
	summary   string // "": none
	evidence  []string
	seq       int64 // of the newest message; changed only while the turn is held too
	closed    bool
	summaries summaries
}

// New returns an empty memory. If the Journal already holds records, the first
// Append clears it as [Memory.Clear] does. To continue a conversation, use [Open].
// Errors: [ErrConfig].
func New(o Options) (*Memory, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Memory{
		o:     o,
		asker: asker{summarize: o.Summarize, timeout: o.SummarizeTimeout},
		turn:  make(chan struct{}, 1),
		fresh: o.Journal != nil,
	}, nil
}

// Append adds messages, all of them or none: to the journal first, then to the
// window. It returns nil once they are stored. Each message must be valid by itself;
// [Check] tells whether they fit together.
//
// If a summary is due then, Append makes it, unless Options.Background is set or
// another Append is making one. If many messages are appended at once, they are
// summarised as if they had come one by one. The model may then be asked several
// times, each time with no more messages than the options say.
//
// A summary that fails is reported to Options.OnError, and the messages stay as they
// are. A later Append tries again: after 1 further message (then 2, 4, up to 64) or
// after 1 s (then 2 s, 4 s, up to 5 min), whichever comes first.
//
// Errors: ctx.Err(), [ErrInvalid], [ErrJournal], [ErrClosed]. Nothing is stored then.
func (m *Memory) Append(ctx context.Context, msgs ...Message) error {
	if err := m.append(ctx, msgs); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	m.summarizeDue(ctx)
	return nil
}

// append is Append without the summary.
func (m *Memory) append(ctx context.Context, msgs []Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	news := make([]added, len(msgs))
	for i, msg := range msgs {
		if err := msg.validate(); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		news[i].msg, news[i].tokens = msg.clone(), m.o.count(msg)
	}
	if err := m.takeForChange(ctx); err != nil {
		return err
	}
	defer m.release()
	if err := m.saveMessages(ctx, news); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range news {
		m.push(news[i])
	}
	m.summaries.pause.further += len(news)
	return nil
}

// push adds a message to the window, or to the leading ones.
func (m *Memory) push(a added) {
	m.seq = a.seq
	if !m.started && a.msg.Role == System {
		m.system = append(m.system, a.msg)
		return
	}
	m.started = true
	m.window.push(a)
}

// replace puts a summary in the place of the entries before start.
func (m *Memory) replace(start int, r Record) {
	m.window = m.window.rest(start)
	m.summary, m.evidence = r.Summary, r.Evidence
}

// reset empties the window, the summary and the evidence.
func (m *Memory) reset() {
	m.system, m.started, m.window = nil, false, window{}
	m.summary, m.evidence = "", nil
}

// Messages returns the messages to send to a model: the leading system messages, a
// system message with the summary and its evidence if there is one, and the messages
// that are kept.
func (m *Memory) Messages() []Message {
	m.mu.RLock()
	defer m.mu.RUnlock()
	msgs := make([]Message, 0, len(m.system)+1+len(m.window.entries))
	for _, s := range m.system {
		msgs = append(msgs, s.clone())
	}
	if m.summary != "" {
		msgs = append(msgs, SystemText(SummaryPrefix+m.summary+evidence.Render(m.evidence)))
	}
	for i := range m.window.entries {
		msgs = append(msgs, m.window.entries[i].msg.clone())
	}
	return msgs
}

// Summary returns the summary without its evidence. It reports whether there is one.
func (m *Memory) Summary() (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.summary, m.summary != ""
}

// Evidence returns the exact strings that are carried beside the summary, the newest
// first.
func (m *Memory) Evidence() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.evidence)
}

// Clear empties the window, the summary and the evidence, and discards a summary
// that is being made. The journal records it and erases nothing.
// Errors: ctx.Err(), [ErrJournal], [ErrClosed]. Nothing is changed then.
func (m *Memory) Clear(ctx context.Context) error {
	if err := m.clear(ctx); err != nil {
		return fmt.Errorf("clear: %w", err)
	}
	return nil
}

func (m *Memory) clear(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.takeForChange(ctx); err != nil {
		return err
	}
	defer m.release()
	if err := m.write(ctx, []Record{{Kind: ClearRecord}}); err != nil {
		return err
	}
	m.fresh = false
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reset()
	m.summaries.replaced()
	return nil
}

// Wait waits until no summary is being made. Errors: ctx.Err().
func (m *Memory) Wait(ctx context.Context) error {
	for ended := m.summaryEnd(); ended != nil; ended = m.summaryEnd() {
		select {
		case <-ended:
		case <-ctx.Done():
			return fmt.Errorf("wait for a summary: %w", ctx.Err())
		}
	}
	return nil
}

// Close ends the memory. It cancels a summary that is being made, and waits for it
// or for ctx. Afterwards all changes return [ErrClosed]; reads still work. The
// Journal stays open. A second Close waits like the first, and does nothing else.
// Errors: ctx.Err().
func (m *Memory) Close(ctx context.Context) error {
	m.refuseChanges()
	if err := m.takeTurn(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	m.release() // an append that was under way has ended
	return m.Wait(ctx)
}

func (m *Memory) refuseChanges() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.summaries.drop(errClosing)
}

// takeTurn waits for the turn. If the turn is free, it is taken even if ctx has
// ended.
func (m *Memory) takeTurn(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// takeForChange takes the turn. If the memory is closed, the error is ErrClosed.
func (m *Memory) takeForChange(ctx context.Context) error {
	if err := m.takeTurn(ctx); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		m.release()
		return fmt.Errorf("the conversation: %w", ErrClosed)
	}
	return nil
}

func (m *Memory) release() { <-m.turn }
