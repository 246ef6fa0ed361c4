package conversation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/evidence"
)

// SummaryPrefix begins the system message that holds the summary.
const SummaryPrefix = "Summary of prior conversation: "

// A Memory holds a conversation as it is sent to a model: leading system
// messages, a summary of what is older, and the newest messages verbatim. All
// messages that were ever appended are in its [Journal].
//
// A few models sign their reasoning together with all that stood before it, and
// refuse what was kept of it once a summary stands there; a request can ask them
// to pass over it: anthropicmsg.DropStaleThinking.
//
// A Memory is safe for concurrent use. What it is given is copied, what it
// returns is the caller's own.
type Memory struct {
	o Options

	// turn is held by whoever writes to the journal and then changes the window, so
	// that both have one order. mu guards all below, and is never held over a call.
	turn chan struct{}
	mu   sync.RWMutex

	fresh    bool      // nothing was written yet, and the journal was not read
	system   []Message // leading
	started  bool      // there was another message than those
	window   window
	summary  string // "": none
	evidence []string
	seq      int64 // of the newest message; changed by the holder of the turn
	closed   bool
	epoch    int // changes with Clear and Import
	work     work
}

// New returns an empty memory. A Journal that holds records already is cleared, as
// by [Memory.Clear], with the first Append: [Open] goes on where it was left.
// Errors: [ErrConfig].
func New(o Options) (*Memory, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Memory{o: o, turn: make(chan struct{}, 1), fresh: o.Journal != nil}, nil
}

// Open is [New], and reads from the Journal what a memory before it left: window,
// summary and evidence. It calls no model: a summary that is due is made by the
// next Append. It reads all records, one at a time. Calls that a process left
// without a result when it ended are answered by who opens it, before anything
// else is appended: [OpenCalls]. Errors: [ErrConfig],
// [ErrNoJournal], [ErrJournal], ctx.Err().
func Open(ctx context.Context, o Options) (*Memory, error) {
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	if o.Journal == nil {
		return nil, fmt.Errorf("open a conversation: %w: set Options.Journal, or use New", ErrNoJournal)
	}
	m.fresh = false
	var cleared int64
	for r, err := range o.Journal.Records(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("open a conversation: %w", journalError(err))
		}
		if err := r.validate(); err != nil {
			return nil, fmt.Errorf("open a conversation: record %d: %w", r.Seq, journalError(err))
		}
		switch r.Kind {
		case MessageRecord:
			m.push(added{msg: *r.Message, seq: r.Seq, tokens: m.o.count(*r.Message)})
		case SummaryRecord:
			// One that was made of messages from before is not there in any memory.
			if r.Through > cleared {
				m.replace(m.window.after(r.Through), r)
			}
		case ClearRecord:
			m.reset()
			cleared = r.Seq
		}
	}
	return m, nil
}

// Append adds messages, all of them or none: to the journal first, then to the
// window. Once they are stored it returns nil. Where a summary is due then, it
// makes it, unless Options.Background is set or another Append does already. Each
// message must be valid by itself; whether they fit together [Check] tells.
//
// A summary that fails goes to Options.OnError and leaves the messages as they
// were. The next try comes with an Append after further messages (1, then 2, 4, up
// to 64) or after a time (1 s, doubling to 5 min), whichever is first. Many messages
// in one Append are summarised as if they had come one by one: it may ask the
// model several times, with no more at a time than the options say.
//
// Errors, nothing being stored: ctx.Err(), [ErrInvalid], [ErrJournal],
// [ErrClosed].
func (m *Memory) Append(ctx context.Context, msgs ...Message) error {
	if err := m.append(ctx, msgs); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	m.summarizeDue(ctx)
	return nil
}

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
	if err := m.take(ctx); err != nil {
		return err
	}
	defer m.release()
	if err := m.save(ctx, news); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range news {
		m.push(news[i])
	}
	m.work.further += len(news)
	return nil
}

// added is a message on its way into a window.
type added struct {
	msg      Message
	seq      int64
	imported bool
	tokens   int
}

// save writes messages to the journal, and numbers them. The turn is held.
func (m *Memory) save(ctx context.Context, news []added) error {
	if m.o.Journal == nil {
		for i := range news {
			news[i].seq = m.seq + int64(i) + 1
		}
		return nil
	}
	used, err := m.journalUsed(ctx)
	if err != nil || len(news) == 0 {
		return err
	}
	var records []Record
	if used {
		records = append(records, Record{Kind: ClearRecord})
	}
	for i := range news {
		records = append(records, Record{Kind: MessageRecord, Message: &news[i].msg})
	}
	if err := m.write(ctx, records); err != nil {
		return err
	}
	m.fresh = false
	for i, r := range records[len(records)-len(news):] {
		news[i].seq = r.Seq
	}
	return nil
}

// journalUsed reports whether a memory that does not go on with its journal finds
// another one's records there. The turn is held.
func (m *Memory) journalUsed(ctx context.Context) (bool, error) {
	if !m.fresh {
		return false, nil
	}
	for _, err := range m.o.Journal.Records(ctx, 0) {
		if err != nil {
			return false, journalError(err)
		}
		return true, nil
	}
	return false, nil
}

// takeTurn waits for the turn; where it is free, whatever the context says.
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

// take is takeTurn for a change, which a closed memory refuses.
func (m *Memory) take(ctx context.Context) error {
	if err := m.takeTurn(ctx); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		<-m.turn
		return fmt.Errorf("the conversation: %w", ErrClosed)
	}
	return nil
}

func (m *Memory) release() { <-m.turn }

// write adds records to the journal where there is one. The turn is held.
func (m *Memory) write(ctx context.Context, records []Record) error {
	if m.o.Journal == nil || len(records) == 0 {
		return nil
	}
	if err := m.o.Journal.Append(ctx, records...); err != nil {
		return journalError(err)
	}
	return nil
}

func journalError(err error) error {
	if errors.Is(err, ErrJournal) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrJournal, err)
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

func (m *Memory) reset() {
	m.system, m.started, m.window = nil, false, window{}
	m.summary, m.evidence = "", nil
}

// Messages returns what is to be sent to a model: the leading system messages,
// one with the summary and its evidence where there is one, and the messages that
// are kept.
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

// Summary returns the summary without its evidence; false where there is none.
func (m *Memory) Summary() (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.summary, m.summary != ""
}

// Evidence returns the exact strings that are carried beside the summary, the
// newest first.
func (m *Memory) Evidence() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.evidence)
}

// Originals returns every message that was ever appended, in order, from the
// Journal: also those that were summarised, and those before a Clear. It ends
// with the first error: [ErrNoJournal], [ErrJournal], ctx.Err().
func (m *Memory) Originals(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if m.o.Journal == nil {
			yield(Message{}, fmt.Errorf("originals: %w: set Options.Journal", ErrNoJournal))
			return
		}
		for r, err := range m.o.Journal.Records(ctx, 0) {
			if err == nil {
				err = r.validate()
			}
			switch {
			case err != nil:
				yield(Message{}, fmt.Errorf("originals: %w", journalError(err)))
				return
			case r.Kind == MessageRecord && !yield(r.Message.clone(), nil):
				return
			}
		}
	}
}

// Clear empties the window, the summary and the evidence, and discards a summary
// that is being made. It is recorded in the journal and erases nothing there.
// Errors, nothing being changed: ctx.Err(), [ErrJournal], [ErrClosed].
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
	if err := m.take(ctx); err != nil {
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
	m.discard()
	return nil
}

// Wait waits until no summary is being made. Errors: ctx.Err().
func (m *Memory) Wait(ctx context.Context) error {
	for {
		m.mu.RLock()
		ended := m.work.ended
		m.mu.RUnlock()
		if ended == nil {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return fmt.Errorf("wait for a summary: %w", ctx.Err())
		}
	}
}

// Close ends the memory: a summary that is being made is cancelled, and Close
// waits for it or for ctx. Later changes are [ErrClosed], reads go on. The
// Journal stays open. A second Close does nothing.
func (m *Memory) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.work.stop(errClosing)
	m.mu.Unlock()
	if err := m.takeTurn(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	m.release() // the append that was under way has ended
	return m.Wait(ctx)
}
