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

func (c logsAppend) appendLines(p *process) error {
	if c.Text != "-" {
		return invalid("append to %s: --lines reads standard input; leave the text out", c.Log)
	}
	return p.with(p.openDatabase, func(ws *workspace.Workspace) error {
		done := linesRecord{Path: c.Log}
		err := c.eachBatch(p, func(batch [][]byte) error {
			r, err := ws.AppendLog(p.ctx, c.Log, batch...)
			if err == nil {
				done.Count += int64(len(batch))
				done.BytesWritten += r.Bytes
				done.LastEntryID = r.Last
				done.Secrets = cmp.Or(done.Secrets, r.Secrets)
			}
			return err
		})
		return errors.Join(err, c.answerLines(p, done))
	})
}

// eachBatch calls store with the lines of standard input, many at a time: those that have
// arrived, before it waits for more. A slow input is stored as it arrives, and a fast one with
// few commits. The lines before one that cannot be an entry are stored.
func (c logsAppend) eachBatch(p *process, store func([][]byte) error) error {
	var batch [][]byte
	flush := func() (err error) {
		if len(batch) > 0 {
			err = store(batch)
		}
		batch = nil
		return err
	}
	limit := p.line.Limits.EntryBytes
	lines := bufio.NewScanner(lineInput{p.standardInput(), c.Log, flush})
	lines.Buffer(make([]byte, 0, 64<<10), int(min(limit, 1<<30))+len("\r\n")+1)
	var bad error
	for n := 1; bad == nil && (lines.Scan() || errors.Is(lines.Err(), bufio.ErrTooLong)); n++ {
		err := lines.Err()
		switch line := lines.Bytes(); {
		case err != nil && !errors.Is(err, bufio.ErrTooLong): // the line may be cut
			bad = err
		case err != nil || int64(len(line)) > limit:
			bad = workspace.Errorf(workspace.ErrTooLarge,
				"append to %s: line %d has more than %d bytes, the limit of an entry (--max-entry-bytes)",
				c.Log, n, limit)
		case !utf8.Valid(line):
			bad = workspace.Errorf(workspace.ErrInvalid,
				"append to %s: line %d is not valid UTF-8; only text can be stored", c.Log, n)
		default:
			batch = append(batch, bytes.Clone(line))
		}
	}
	return errors.Join(cmp.Or(bad, lines.Err()), flush())
}

// A lineInput stores the lines that were read before it waits for more.
type lineInput struct {
	io.Reader
	log   string
	flush func() error
}

func (l lineInput) Read(b []byte) (int, error) {
	if err := l.flush(); err != nil {
		return 0, err
	}
	n, err := l.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("append to %s: %w", l.log, err)
	}
	return n, err
}

// answerLines says what was stored, also before an error.
func (c logsAppend) answerLines(p *process, r linesRecord) error {
	last := ""
	if r.Count > 0 {
		last = fmt.Sprintf(", the last is %d, %s", r.LastEntryID, phrase.Plural(r.BytesWritten, "byte"))
	}
	return p.say(r, "%s: %s added%s%s", r.Path, phrase.Entries(r.Count), last, secretsNote(r.Secrets))
}
