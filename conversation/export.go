package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/evidence"
)

const exportVersion = 1

type wireExport struct {
	Version  *int           `json:"version"`
	Leading  int            `json:"leading,omitempty"` // how many of the messages are leading system messages
	Messages []*wireMessage `json:"messages"`
	Summary  string         `json:"summary,omitempty"`
	Evidence []string       `json:"evidence,omitempty"`
}

// Export returns the memory as one JSON document: the messages that are kept, the
// summary and the evidence, with a version. Messages that are only in the journal are
// not in it.
func (m *Memory) Export() ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	version := exportVersion
	w := wireExport{Version: &version, Leading: len(m.system), Summary: m.summary, Evidence: m.evidence,
		Messages: []*wireMessage{}}
	msgs := slices.Clone(m.system)
	for i := range m.window.entries {
		msgs = append(msgs, m.window.entries[i].msg)
	}
	for _, msg := range msgs {
		m, err := msg.wire(exactArguments)
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		w.Messages = append(w.Messages, m)
	}
	return marshal(w)
}

// Import replaces the messages, the summary and the evidence by those of a document
// from Export. It discards a summary that is being made. A summary that is due
// afterwards is made by the next Append.
//
// Import writes nothing to the Journal: a later Open returns what the Journal has,
// without the imported messages.
//
// Errors: [ErrInvalid], [*VersionError], [ErrClosed]. Nothing is changed then.
func (m *Memory) Import(document []byte) error {
	w, msgs, err := readExport(document)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	counts := make([]int, len(msgs))
	for i, msg := range msgs {
		counts[i] = m.o.count(msg)
	}
	if err := m.takeForChange(context.Background()); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer m.release()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reset()
	m.summaries.replaced()
	m.system = msgs[:w.Leading]
	m.started = len(msgs) > w.Leading || w.Summary != ""
	for i, msg := range msgs[w.Leading:] {
		m.window.push(added{msg: msg, seq: m.seq, imported: true, tokens: counts[w.Leading+i]})
	}
	m.summary, m.evidence = w.Summary, w.Evidence
	return nil
}

func readExport(document []byte) (wireExport, []Message, error) {
	var w wireExport
	if err := checkText(document); err != nil {
		return w, nil, err
	}
	// The version comes first, because a newer document may have another shape.
	var v struct {
		Version *int `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	if err := d.Decode(&v); err != nil {
		return w, nil, invalid("it is not an exported conversation: %v", err)
	}
	if v.Version == nil {
		return w, nil, invalid("it is not an exported conversation: it has no version")
	}
	if *v.Version != exportVersion {
		return w, nil, &VersionError{Version: *v.Version, Supported: exportVersion}
	}
	if err := json.Unmarshal(document, &w); err != nil {
		return w, nil, invalid("it is not an exported conversation: %v", err)
	}
	msgs := make([]Message, len(w.Messages))
	for i, m := range w.Messages {
		if m == nil {
			return w, nil, invalid("messages[%d] is null", i)
		}
		var err error
		if msgs[i], err = m.message(); err != nil {
			return w, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if w.Leading < 0 || w.Leading > leading(msgs) {
		return w, nil, invalid("leading is %d, but only %d system messages come first", w.Leading, leading(msgs))
	}
	if w.Leading == 0 && w.Summary == "" {
		w.Leading = leading(msgs)
	}
	for _, e := range w.Evidence {
		if !evidence.Valid(e) {
			return w, nil, invalid("the evidence %q is not a short line of text", clip.Text(e))
		}
	}
	if len(w.Evidence) > 0 && w.Summary == "" {
		return w, nil, invalid("there is evidence without a summary")
	}
	return w, msgs, nil
}
