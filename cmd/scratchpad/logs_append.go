package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/flags"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsAppend struct {
	Log   string `arg:"" help:"The log."`
	Text  string `arg:"" optional:"" default:"-" help:"The entry, or - for standard input without its last line end."`
	Lines bool   `help:"Make each line of standard input an entry, and store it as it arrives."`
}

// Help is shown by scratchpad logs append --help.
func (logsAppend) Help() string {
	return `If there is no such log, the command creates it. Put -- before a text that begins with a dash.

Examples:

  scratchpad logs append decisions 'test before resting'
  scratchpad logs append decisions < notes.txt
  scratchpad logs append runs/1 --lines < app.log`
}

type appendRecord struct {
	Path         string `json:"path"`
	EntryID      int64  `json:"entry_id"`
	BytesWritten int64  `json:"bytes_written"`
}

// Run appends the entry or the lines.
func (c logsAppend) Run(p *process) error {
	log, err := p.line.Paths.Parse(c.Log)
	if err != nil {
		return err
	}
	c.Log = log.String()
	if c.Lines {
		return c.appendLines(p)
	}
	entry := []byte(c.Text)
	if c.Text == "-" {
		var err error
		if entry, err = c.readEntry(p); err != nil {
			return err
		}
	}
	return p.with(p.openDatabase, func(ws *workspace.Workspace) error {
		r, err := ws.AppendLog(p.ctx, c.Log, entry)
		if err != nil {
			return err
		}
		return p.answer(appendRecord{Path: r.Path, EntryID: r.Last, BytesWritten: r.Bytes}, func(out io.Writer) error {
			_, err := fmt.Fprintf(out, "%s: entry %d, %s\n", r.Path, r.Last, phrase.Plural(r.Bytes, "byte"))
			return err
		})
	})
}

func (c logsAppend) readEntry(p *process) ([]byte, error) {
	limit := p.line.Limits.EntryBytes
	entry, err := p.readSource("-", min(limit, flags.MaxNumber)+int64(len("\r\n")))
	if err != nil {
		return nil, err
	}
	if entry = dropLineEnd(entry); int64(len(entry)) > limit {
		return nil, workspace.Errorf(workspace.ErrTooLarge, "append to %s: standard input has more than %d bytes, the limit of an entry (--max-entry-bytes); --lines makes each line an entry", c.Log, limit)
	}
	return entry, nil
}

func dropLineEnd(text []byte) []byte {
	if rest, ended := bytes.CutSuffix(text, []byte("\n")); ended {
		return bytes.TrimSuffix(rest, []byte("\r"))
	}
	return text
}

// linesRecord is the answer of --lines.
type linesRecord struct {
	Path         string `json:"path"`
	Count        int64  `json:"count"`
	LastEntryID  int64  `json:"last_entry_id"`
	BytesWritten int64  `json:"bytes_written"`
}

func (c logsAppend) appendLines(p *process) error {
	if c.Text != "-" {
		return workspace.Errorf(workspace.ErrInvalid, "append to %s: --lines reads standard input; leave the text out", c.Log)
	}
	return p.with(p.openDatabase, func(ws *workspace.Workspace) error {
		done := linesRecord{Path: c.Log}
		lines := readLines(p.standardInput(), p.line.Limits.EntryBytes)
		for batch := range lines.batches {
			r, err := ws.AppendLog(p.ctx, c.Log, batch...)
			if err != nil {
				return errors.Join(err, c.answerLines(p, done))
			}
			done.Count += int64(len(batch))
			done.BytesWritten += r.Bytes
			done.LastEntryID = r.Last
		}
		if lines.err != nil {
			err := &workspace.Error{Op: "append to", Object: c.Log, Kind: workspace.Kind(lines.err), Err: lines.err}
			return errors.Join(err, c.answerLines(p, done))
		}
		return c.answerLines(p, done)
	})
}

// answerLines says what was stored, also before an error.
func (c logsAppend) answerLines(p *process, r linesRecord) error {
	return p.answer(r, func(out io.Writer) error {
		fmt.Fprintf(out, "%s: %s added", r.Path, phrase.Entries(r.Count))
		if r.Count > 0 {
			fmt.Fprintf(out, ", the last is %d, %s", r.LastEntryID, phrase.Plural(r.BytesWritten, "byte"))
		}
		_, err := fmt.Fprintln(out)
		return err
	})
}

// lineReader reads the lines of an input in batches. A batch is what has arrived while
// the one before was stored, so that a slow input is stored as it arrives, and a fast
// one with few commits.
type lineReader struct {
	batches chan [][]byte
	err     error // why batches was closed; nil: the input has ended
}

// The most of one batch. No more than that and one line waits in memory.
const (
	batchLines = 1000
	batchBytes = 1 << 20
)

// readLines reads lines of at most limit bytes. Its goroutines end with the input or
// the process.
func readLines(in io.Reader, limit int64) *lineReader {
	l := &lineReader{batches: make(chan [][]byte)}
	lines := make(chan []byte)
	var failed error // before lines is closed
	go func() {
		defer close(lines)
		failed = scanLines(in, limit, func(line []byte) { lines <- line })
	}()
	go func() {
		defer close(l.batches)
		gather(lines, l.batches)
		l.err = failed
	}()
	return l
}

// gather offers a batch while it adds more lines to it.
func gather(lines <-chan []byte, batches chan<- [][]byte) {
	var batch [][]byte
	var size int
	for lines != nil || len(batch) > 0 {
		from, to := lines, batches
		if len(batch) == 0 {
			to = nil
		}
		if len(batch) >= batchLines || size >= batchBytes {
			from = nil
		}
		select {
		case line, ok := <-from:
			if !ok {
				lines = nil
				continue
			}
			batch, size = append(batch, line), size+len(line)
		case to <- batch:
			batch, size = nil, 0
		}
	}
}

// scanLines calls give with each line, without its end. It stops at a line that cannot
// be an entry.
func scanLines(in io.Reader, limit int64, give func([]byte)) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, int(min(limit, 1<<30))+len("\r\n")+1)
	n := 0
	for s.Scan() {
		n++
		switch line := s.Bytes(); {
		case int64(len(line)) > limit:
			return tooLong(n, limit)
		case !utf8.Valid(line):
			return workspace.Errorf(workspace.ErrInvalid, "line %d is not valid UTF-8; only text can be stored", n)
		default:
			give(bytes.Clone(line))
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return tooLong(n+1, limit)
	}
	return s.Err()
}

func tooLong(line int, limit int64) error {
	return workspace.Errorf(workspace.ErrTooLarge, "line %d has more than %d bytes, the limit of an entry (--max-entry-bytes)", line, limit)
}
