package conversation

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A RecordKind says what a record is.
type RecordKind string

const (
	MessageRecord RecordKind = "message" // a message was appended
	SummaryRecord RecordKind = "summary" // the messages up to Through were summarised
	ClearRecord   RecordKind = "clear"   // the window was cleared
)

// A Record is what a [Journal] keeps.
type Record struct {
	Seq      int64      // its number, set by the journal: above 0 and ascending, possibly with gaps
	Kind     RecordKind // what it is
	Message  *Message   // of a MessageRecord
	Summary  string     // of a SummaryRecord: the text, without the evidence
	Through  int64      // of a SummaryRecord: the Seq of the last message that it covers
	Evidence []string   // of a SummaryRecord: the evidence beside the summary, the newest first
}

// A Journal stores the records of one conversation. [FileJournal] returns one, and so
// does Journal of package workspace. Its methods are called from any goroutine.
type Journal interface {
	// Append stores the records, all of them or none, and sets their Seq in the slice
	// that it is given. When it returns nil, they are durable. When it returns an
	// error, they are not stored.
	Append(ctx context.Context, records ...Record) error
	// Records returns the records with a Seq above after, in order. The iteration ends
	// with the first error.
	Records(ctx context.Context, after int64) iter.Seq2[Record, error]
}

type wireRecord struct {
	Seq      int64        `json:"seq,omitempty"`
	Kind     RecordKind   `json:"kind"`
	Message  *wireMessage `json:"message,omitempty"`
	Summary  string       `json:"summary,omitempty"`
	Through  int64        `json:"through,omitempty"`
	Evidence []string     `json:"evidence,omitempty"`
}

// MarshalJSON returns the record as one line of JSON. UnmarshalJSON reads the same
// message from it, byte for byte.
// Errors: [ErrInvalid].
func (r Record) MarshalJSON() ([]byte, error) {
	w := wireRecord{Seq: r.Seq, Kind: r.Kind, Summary: r.Summary, Through: r.Through, Evidence: r.Evidence}
	if err := r.validate(); err != nil {
		return nil, err
	}
	if r.Message != nil {
		var err error
		if w.Message, err = r.Message.wire(exactArguments); err != nil {
			return nil, err
		}
	}
	return marshal(w)
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown kind is an error, because a
// newer version wrote it. Errors: [ErrInvalid].
func (r *Record) UnmarshalJSON(text []byte) error {
	if err := checkText(text); err != nil {
		return err
	}
	var w wireRecord
	if err := json.Unmarshal(text, &w); err != nil {
		return invalid("a record: %v", err)
	}
	read := Record{Seq: w.Seq, Kind: w.Kind, Summary: w.Summary, Through: w.Through, Evidence: w.Evidence}
	if w.Message != nil {
		m, err := w.Message.message()
		if err != nil {
			return err
		}
		read.Message = &m
	}
	if err := read.validate(); err != nil {
		return err
	}
	*r = read
	return nil
}

func (r Record) validate() error {
	if !utf8.ValidString(r.Summary) || slices.ContainsFunc(r.Evidence,
		func(e string) bool { return !utf8.ValidString(e) }) {
		return invalid("a record has text that is not valid UTF-8")
	}
	switch r.Kind {
	case MessageRecord:
		if r.Message == nil {
			return invalid("a message record has no message")
		}
		return r.Message.validate()
	case SummaryRecord, ClearRecord:
		if r.Message != nil {
			return invalid("a %s record has a message", r.Kind)
		}
		return nil
	}
	return invalid("a record of kind %q, which this version does not know", clip.Text(string(r.Kind)))
}
