package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsAppend struct {
	Log   string `arg:""`
	Text  string `arg:"" optional:"" default:"-" help:"The entry, or - for standard input without its last line end."`
	Lines bool   `xor:"how" help:"Make each line of standard input an entry, and store it as it arrives."`
	Once  bool   `xor:"how" help:"Store nothing if the same entry was appended with --once in the last 24 hours."`
}

type appendRecord struct {
	Path         string `json:"path"`
	EntryID      int64  `json:"entry_id"`
	BytesWritten int64  `json:"bytes_written"`
	Repeated     bool   `json:"repeated,omitempty"`
	*workspace.Secrets
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
		r, err := ws.AppendLogWith(p.ctx, c.Log, workspace.AppendOptions{Once: c.Once}, entry)
		if err != nil {
			return err
		}
		was := ""
		if r.Repeated {
			was = "; it was there already"
		}
		was += secretsNote(r.Secrets)
		record := appendRecord{r.Path, r.Last, r.Bytes, r.Repeated, r.Secrets}
		return p.say(record, "%s: entry %d, %s%s", r.Path, r.Last, phrase.Plural(r.Bytes, "byte"), was)
	})
}

func (c logsAppend) readEntry(p *process) ([]byte, error) {
	limit := p.line.Limits.EntryBytes
	entry, err := p.readSource("-", min(limit, flags.MaxNumber)+int64(len("\r\n")))
	if err != nil {
		return nil, err
	}
	if entry = dropLineEnd(entry); int64(len(entry)) > limit {
		return nil, workspace.Errorf(workspace.ErrTooLarge,
			"append to %s: standard input has more than %d bytes, the limit of an entry (--max-entry-bytes); --lines "+
				"makes each line an entry", c.Log, limit)
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

	*workspace.Secrets // of the first batch that has some
}

// appendLines stores the lines of standard input, many at a time: those that have arrived, before it
// waits for more. A slow input is stored as it arrives, and a fast one with few commits. The lines
// before one that cannot be an entry are stored.
func (c logsAppend) appendLines(p *process) error {
	if c.Text != "-" {
		return invalid("append to %s: --lines reads standard input; leave the text out", c.Log)
	}
	limit := p.line.Limits.EntryBytes
	return p.with(p.openDatabase, func(ws *workspace.Workspace) error {
		done := linesRecord{Path: c.Log}
		in := bufio.NewReaderSize(p.standardInput(), int(min(limit, 1<<30))+len("\r\n"))
		var err error
		for err == nil {
			var lines [][]byte
			if lines, err = c.arrived(in, limit, done.Count); len(lines) == 0 {
				continue
			}
			r, failed := ws.AppendLog(p.ctx, c.Log, lines...)
			if failed != nil {
				err = failed
				break
			}
			done.Count += int64(len(lines))
			done.BytesWritten += r.Bytes
			done.LastEntryID = r.Last
			done.Secrets = cmp.Or(done.Secrets, r.Secrets)
		}
		if err == io.EOF {
			err = nil
		}
		return errors.Join(err, c.answerLines(p, done))
	})
}

// arrived returns the lines that have arrived, of which it waits for the first, and why no line is
// after them. before is how many lines were before them.
func (c logsAppend) arrived(in *bufio.Reader, limit, before int64) (lines [][]byte, err error) {
	for more := true; more && err == nil; {
		var line []byte
		line, err = in.ReadSlice('\n')
		entry, n := dropLineEnd(line), before+int64(len(lines))+1
		switch {
		case err == bufio.ErrBufferFull || int64(len(entry)) > limit:
			err = workspace.Errorf(workspace.ErrTooLarge,
				"append to %s: line %d has more than %d bytes, the limit of an entry (--max-entry-bytes)",
				c.Log, n, limit)
		case err != nil && err != io.EOF: // the line may be cut
			err = fmt.Errorf("append to %s: %w", c.Log, err)
		case !utf8.Valid(entry):
			err = invalid("append to %s: line %d is not valid UTF-8; only text can be stored", c.Log, n)
		case len(line) > 0:
			lines = append(lines, bytes.Clone(entry))
		}
		rest, _ := in.Peek(in.Buffered())
		more = bytes.IndexByte(rest, '\n') >= 0
	}
	return lines, err
}

// answerLines says what was stored, also before an error.
func (c logsAppend) answerLines(p *process, r linesRecord) error {
	last := ""
	if r.Count > 0 {
		last = fmt.Sprintf(", the last is %d, %s", r.LastEntryID, phrase.Plural(r.BytesWritten, "byte"))
	}
	return p.say(r, "%s: %s added%s%s", r.Path, phrase.Entries(r.Count), last, secretsNote(r.Secrets))
}
