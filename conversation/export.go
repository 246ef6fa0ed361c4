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
// summary and the evidence, with a version. What is in the journal alone is not
// in it.
func (m *Memory) Export() ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	version := exportVersion
	w := wireExport{Version: &version, Leading: len(m.system), Summary: m.summary, Evidence: m.evidence, Messages: []*wireMessage{}}
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

// Import replaces messages, summary and evidence by those of a document that
// Export made, discards a summary that is being made, and writes nothing to the
// Journal: an Open later gives what the Journal has, without them. A summary that
// is due then is made by the next Append. Errors, nothing
// being changed: [ErrInvalid], [*VersionError], [ErrClosed].
func (m *Memory) Import(document []byte) error {
	w, msgs, err := readExport(document)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	counts := make([]int, len(msgs))
	for i, msg := range msgs {
		counts[i] = m.o.count(msg)
	}
	if err := m.take(context.Background()); err != nil {
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
	// The version first: a newer document may have another shape.
	var v struct {
		Version *int `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(document))
	if err := d.Decode(&v); err != nil {
		return w, nil, invalid("not a document of a conversation: %v", err)
	}
	if v.Version == nil {
		return w, nil, invalid("not a document of a conversation: it has no version")
	}
	if *v.Version != exportVersion {
		return w, nil, &VersionError{Version: *v.Version, Supported: exportVersion}
	}
	if err := json.Unmarshal(document, &w); err != nil {
		return w, nil, invalid("not a document of a conversation: %v", err)
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
		return w, nil, invalid("leading is %d, the messages begin with %d of the system", w.Leading, leading(msgs))
	}
	if w.Leading == 0 && w.Summary == "" {
		w.Leading = leading(msgs)
	}
	for _, e := range w.Evidence {
		if !evidence.Valid(e) {
			return w, nil, invalid("the evidence %q is no short line of text", clip.Text(e))
		}
	}
	if len(w.Evidence) > 0 && w.Summary == "" {
		return w, nil, invalid("there is evidence without a summary")
	}
	return w, msgs, nil
}
