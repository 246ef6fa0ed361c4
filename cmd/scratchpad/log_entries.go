package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// newest returns a page of a log with its newest entry. The log must exist.
func newest(p *process, ws *workspace.Workspace, log string) (workspace.LogPage, error) {
	page, err := ws.ReadLog(p.ctx, log, workspace.ReadLogOptions{Tail: 1})
	if err == nil && !page.Exists {
		way := "scratchpad logs ls shows those that exist"
		switch {
		case page.IsFile:
			way = "a file has this name: scratchpad files cat prints it"
		case page.Nearest != "":
			way = "the nearest name is " + page.Nearest
		}
		err = failure.On("read log", log, workspace.Errorf(workspace.ErrNotFound, "there is no such log; %s", way))
	}
	return page, err
}

// entryWriter writes entries one by one, for people or for scripts.
type entryWriter struct {
	out  *bufio.Writer
	text io.Writer     // of out
	json *json.Encoder // nil: for people

	where *condition.List // nil: all entries
	skip  int64           // of those that match where, the first that are not written
}

func (p *process) newEntryWriter() *entryWriter {
	w := &entryWriter{out: bufio.NewWriter(p.out)}
	w.text = p.screen(w.out)
	if p.line.JSON {
		w.json = report.Lines(w.text)
	}
	return w
}

type entryRecord struct {
	ID     int64          `json:"id"`
	Time   time.Time      `json:"time"`
	Text   string         `json:"text"`
	Author *report.Author `json:"author,omitempty"`

	Redacted bool `json:"redacted,omitempty"`
}

func (w *entryWriter) write(e workspace.Entry) error {
	if w.where != nil && !w.where.Match(e.Content) {
		return nil
	}
	if w.skip > 0 {
		w.skip--
		return nil
	}
	if w.json != nil {
		return w.json.Encode(entryRecord{ID: e.ID, Time: e.Time.UTC(), Text: string(e.Content),
			Author: report.AuthorOf(e.Author), Redacted: e.Redacted != nil})
	}
	// The further lines of an entry must not look like another entry.
	head := fmt.Sprintf("%d  %s  ", e.ID, phrase.Time(e.Time))
	text := strings.ReplaceAll(string(e.Content), "\n", "\n"+strings.Repeat(" ", len(head)))
	if e.Redacted != nil {
		text = "(redacted " + redactedOf(e.Redacted).String() + ")"
	}
	_, err := fmt.Fprintf(w.text, "%s%s\n", head, text)
	return err
}

// copy writes all entries after since, and returns the number of the last one.
func (w *entryWriter) copy(p *process, ws *workspace.Workspace, log string, since int64) (int64, error) {
	for {
		page, err := ws.ReadLog(p.ctx, log, workspace.ReadLogOptions{Since: since})
		if err != nil {
			return since, err
		}
		for _, e := range page.Entries {
			if err := w.write(e); err != nil {
				return since, err
			}
		}
		if err := w.out.Flush(); err != nil {
			return since, err
		}
		if since = page.Last; !page.More {
			return since, nil
		}
	}
}
