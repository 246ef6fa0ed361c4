package summarize

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const mostParts = 400

// summarize is the Summarize function of the [workspace.Summarizer].
func (p *provider) summarize(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
	defer p.transport.CloseIdleConnections() // a Summarizer has no Close
	if r.Progress == nil {
		r.Progress = func(int, int) {}
	}
	parts := split(r.Content, p.window)
	if len(parts) > mostParts {
		return workspace.SummaryText{}, p.fails("the file needs %d calls with a window of %d tokens, and the limit "+
			"is %d; set a larger window", len(parts), p.window, mostParts).failure()
	}
	j := job{provider: p, request: r, total: calls(len(parts), p.fan())}
	text, err := j.run(ctx, parts)
	return workspace.SummaryText{Text: text, Spent: j.spent}, err
}

// estimate estimates the tokens of the parts of a file, without those that are kept from
// a job that failed.
func (p *provider) estimate(path, content string) int64 {
	var n int
	parts := split(content, p.window)
	for i, of := range parts {
		if _, ok := p.kept.get(p.keyOf(path, of, title(of, i, len(parts), false), false)); !ok {
			n += tokens.Estimate(of.text)
		}
	}
	return int64(n)
}

// fan is how many summaries are combined into one. They fit into the window even if
// each is one and a half times as long as it should be.
func (p *provider) fan() int { return max(2, 2*p.window/(3*p.maxTokens)) }

// calls returns how many calls a summary of so many parts needs.
func calls(parts, fan int) int {
	n := parts
	for parts > 1 {
		parts = (parts + fan - 1) / fan
		n += parts
	}
	return n
}

// A job makes one summary.
type job struct {
	*provider
	request     workspace.SummaryRequest
	done, total int // calls
	spent       int64
	keys        []textKey // of the texts made so far
}

// run summarises the parts, then groups of summaries, until one is left.
func (j *job) run(ctx context.Context, parts []part) (string, error) {
	j.request.Progress(0, j.total)
	for summaries := false; ; summaries = true {
		made := make([]part, len(parts))
		for i, of := range parts {
			text, err := j.one(ctx, of, title(of, i, len(parts), summaries), summaries)
			if err != nil {
				return "", err
			}
			made[i] = part{text, of.from, of.to}
		}
		if len(made) == 1 {
			j.kept.drop(j.keys)
			return made[0].text, nil
		}
		parts = join(made, j.fan())
	}
}

// one returns the summary of a part: a kept one, or a new one.
func (j *job) one(ctx context.Context, of part, title string, summaries bool) (string, error) {
	key := j.keyOf(j.request.Path, of, title, summaries)
	text, ok := j.kept.get(key)
	if !ok {
		var err error
		if text, err = j.pay(ctx, of, title, summaries); err != nil {
			return "", err
		}
		if j.total > 1 {
			j.kept.put(key, text)
		}
	}
	j.keys = append(j.keys, key)
	j.done++
	j.request.Progress(j.done, j.total)
	return text, nil
}

// pay asks the model for the summary of a part.
func (j *job) pay(ctx context.Context, of part, title string, summaries bool) (string, error) {
	text, spent, t := j.call(ctx, j.request.Path, of, title, summaries)
	j.spent += spent
	if t != nil {
		return "", t.failure()
	}
	return text, nil
}

func title(of part, i, n int, summaries bool) string {
	switch {
	case n > 1 && summaries:
		return fmt.Sprintf("Summaries of lines %d-%d, group %d of %d:", of.from, of.to, i+1, n)
	case summaries:
		return "Summaries:"
	case n > 1:
		return fmt.Sprintf("Lines %d-%d, part %d of %d:", of.from, of.to, i+1, n)
	}
	return "Content:"
}

// join makes parts of fan summaries each.
func join(made []part, fan int) []part {
	var parts []part
	for len(made) > 0 {
		group := made[:min(fan, len(made))]
		made = made[len(group):]
		var b strings.Builder
		for _, s := range group {
			fmt.Fprintf(&b, "Lines %d-%d:\n%s\n\n", s.from, s.to, s.text)
		}
		parts = append(parts, part{b.String(), group[0].from, group[len(group)-1].to})
	}
	return parts
}

// split cuts a text into parts of about window tokens. It cuts at the end of a
// paragraph if one is near, else at the end of a line. The first line of each part,
// and every tenth line of the text, begin with their number. There is at least one
// part.
func split(content string, window int) []part {
	s := splitter{window: window, from: 1}
	line := 0
	for text := range strings.Lines(content) {
		line++
		s.add(withoutControls(text), line)
	}
	s.flush(false)
	if len(s.parts) == 0 {
		return []part{{"", 1, 1}}
	}
	return s.parts
}

// A splitter gathers lines until a part is full.
type splitter struct {
	window   int
	parts    []part
	text     strings.Builder
	cost     int
	from, to int      // lines in text
	blank    position // after the last blank line in text
}

type position struct{ bytes, cost, line int }

func numberOf(line int) string { return strconv.Itoa(line) + "|" }

func (s *splitter) add(text string, line int) {
	blank := strings.TrimSpace(text) == ""
	numbered := line%10 == 0
	if numbered {
		text = numberOf(line) + text
	}
	for {
		piece := text
		cost := 0
		if len(piece) <= 8*s.window {
			cost = tokens.Estimate(piece)
		}
		if len(piece) > 8*s.window || cost > s.window { // the line is longer than a part
			piece = text[:fitting(text, s.window)]
			cost = tokens.Estimate(piece)
		}
		for s.cost > 0 && s.cost+cost > s.window { // twice if the flush leaves lines
			s.flush(true)
		}
		if s.text.Len() == 0 {
			s.begin(line, numbered)
		}
		s.text.WriteString(piece)
		s.cost += cost
		s.to = line
		numbered = false
		if text = text[len(piece):]; text == "" {
			break
		}
	}
	if blank {
		s.blank = position{s.text.Len(), s.cost, s.to}
	}
}

// begin starts a part with a line or the rest of one.
func (s *splitter) begin(line int, numbered bool) {
	s.from = line
	if !numbered {
		s.text.WriteString(numberOf(line))
		s.cost += tokens.Estimate(numberOf(line))
	}
}

// flush ends a part. If more follows and the last quarter of the part has a blank
// line, the part ends there, and the lines below it begin the next part.
func (s *splitter) flush(more bool) {
	text := s.text.String()
	if text == "" {
		return
	}
	end := position{len(text), s.cost, s.to}
	if more && s.blank.cost >= s.cost*3/4 && s.blank.bytes > 0 {
		end = s.blank
	}
	s.parts = append(s.parts, part{text[:end.bytes], s.from, end.line})
	s.text.Reset()
	s.cost -= end.cost
	s.blank = position{}
	if text = text[end.bytes:]; text != "" {
		s.begin(end.line+1, (end.line+1)%10 == 0)
		s.text.WriteString(text)
	}
}

// withoutControls replaces control characters, which some providers reject.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, text)
}

// encode writes a request as JSON, without escapes for HTML.
func encode(request any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(request)
	return b.Bytes(), err
}
