package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/recordfile"
)

// A File is a [Journal] in a file of JSON lines. It is safe for concurrent use.
type File struct {
	records *recordfile.File[Record]
}

// recordFormat is the form of the records in a [File].
var recordFormat = recordfile.Format[Record]{
	Kinds: []string{string(MessageRecord), string(SummaryRecord), string(ClearRecord)},
	Parse: func(line []byte) (r Record, seq int64, err error) {
		err = r.UnmarshalJSON(line)
		return r, r.Seq, err
	},
}

// FileJournal opens the journal in the file at path. If there is no file, it creates
// an empty journal with mode 0600; the folder must exist. A link to a file is
// followed. Each line of the file is a record in JSON. All records of a batch but the
// last have the member "more".
//
// FileJournal reads the whole file. If a process was killed or the power failed
// during an append, the file may end in the middle of it. FileJournal drops that
// unfinished end, and returns a *[TornError] beside a File that works. If only the
// last newline is missing, FileJournal adds it. Any other damage is an error, and the
// file is not changed.
//
// A journal has one writer: FileJournal fails while another File, in this process or
// in another, has the file open. Anybody may read the file as text. The lock is
// available on Linux, macOS, the BSDs, illumos and Windows; on other systems
// FileJournal fails.
//
// Errors: [ErrJournal], with the cause.
func FileJournal(path string) (*File, error) {
	if path == "" {
		return nil, fmt.Errorf("open a journal: the path is empty: give a file: %w", ErrJournal)
	}
	records, torn, err := recordfile.Open(path, recordFormat)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w: %w", path, err, ErrJournal)
	}
	f := &File{records}
	if torn {
		return f, &TornError{Path: path, Offset: records.End()}
	}
	return f, nil
}

// Append implements [Journal]. If ctx ends before the writing begins, nothing is stored.
// After that ctx has no effect.
//
// After an error the file ends with the last stored record, and the next Append may
// succeed. If a failed write could not be removed from the file, every later Append
// fails until the journal is closed and opened again; only then may a record that was
// refused be in it. Append also fails if somebody else removed, renamed or changed
// the file.
//
// Errors: [ErrJournal], with the cause. For a record that could not be read again,
// also [ErrInvalid]. After Close, also [ErrClosed].
func (f *File) Append(ctx context.Context, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return f.failed("append to", err)
	}
	texts := make([][]byte, len(records))
	for i, r := range records {
		text, err := r.encode()
		if err != nil {
			return f.failed("append to", fmt.Errorf("record %d: %w", i+1, err))
		}
		texts[i] = text
	}
	first, err := f.records.Append(ctx, texts)
	if err != nil {
		return f.failed("append to", err)
	}
	for i := range records {
		records[i].Seq = first + int64(i)
	}
	return nil
}

// encode returns the record as JSON, without its Seq. It refuses a record that could
// not be read again, because the journal could then never be opened.
func (r Record) encode() ([]byte, error) {
	r.Seq = 0
	text, err := r.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, invalid("the arguments of a call are nested too deeply")
	}
	return text, checkText(text)
}

// Records implements [Journal]. It returns the records that were stored when the
// iteration began. The loop may append, and may take its time: nothing waits for it.
// One record at a time is in memory.
//
// Errors: [ErrJournal], with the cause. After Close, also [ErrClosed].
func (f *File) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range f.records.Records(ctx, after) {
			if err != nil {
				err = f.failed("read", err)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Close waits for a running Append, then closes the file and releases its lock. All
// other methods return [ErrClosed] afterwards. A second Close does nothing.
func (f *File) Close() error {
	if err := f.records.Close(); err != nil {
		return f.failed("close", err)
	}
	return nil
}

// failed returns the error of an operation.
func (f *File) failed(operation string, err error) error {
	if errors.Is(err, recordfile.ErrClosed) {
		err = ErrClosed
	}
	return fmt.Errorf("%s %s: %w: %w", operation, f.records.Path(), err, ErrJournal)
}
