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

// summarize is the [workspace.Summarizer]'s function.
func (p *provider) summarize(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
	defer p.transport.CloseIdleConnections() // nobody closes a Summarizer
	if r.Progress == nil {
		r.Progress = func(int, int) {}
	}
	if r.Extend == nil {
		r.Extend = func(context.Context) error { return nil }
	}
	parts := split(r.Content, p.window)
	if len(parts) > mostParts {
		return workspace.SummaryText{}, p.fails("the file is worth %d calls with a window of %d tokens, and %d are the most; set a larger window", len(parts), p.window, mostParts).failure()
	}
	j := job{provider: p, request: r, total: calls(len(parts), p.fan())}
	text, err := j.run(ctx, parts)
	return workspace.SummaryText{Text: text, Spent: j.spent}, err
}

// estimate returns about what the parts cost that are not kept of a job that failed.
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

// fan is how many summaries are made into one: they fit the window also where each
// is half as long again as it should be.
func (p *provider) fan() int { return max(2, 2*p.window/(3*p.maxTokens)) }

// calls is how many calls the summary of so many parts takes.
func calls(parts, fan int) int {
	n := parts
	for parts > 1 {
		parts = (parts + fan - 1) / fan
		n += parts
	}
	return n
}

// A job is the making of one summary.
type job struct {
	*provider
	request     workspace.SummaryRequest
	done, total int // calls
	spent       int64
	keys        []textKey // of the texts that are made
}

// run summarises the parts, then their summaries, until there is one.
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

// one makes the summary of a part, unless it is kept of a job that failed.
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

// pay asks for the summary of a part.
func (j *job) pay(ctx context.Context, of part, title string, summaries bool) (string, error) {
	if j.done > 0 {
		if err := j.request.Extend(ctx); err != nil {
			return "", err
		}
	}
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

// join puts summaries together, so many to each part.
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

// split cuts a text into parts of about so many tokens, at the ends of paragraphs
// or else of lines, and writes numbers before the first line of each and every
// tenth of the text. There is one part at least.
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
		if len(piece) > 8*s.window || cost > s.window { // a line longer than a part
			piece = text[:fitting(text, s.window)]
			cost = tokens.Estimate(piece)
		}
		for s.cost > 0 && s.cost+cost > s.window { // twice where a flush leaves lines
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

// begin starts a part with a line, or with what is left of it.
func (s *splitter) begin(line int, numbered bool) {
	s.from = line
	if !numbered {
		s.text.WriteString(numberOf(line))
		s.cost += tokens.Estimate(numberOf(line))
	}
}

// flush ends the part: where more follows, after its last blank line if that is in
// the last quarter.
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

// withoutControls replaces what some providers refuse in a text.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, text)
}

// encode writes a request, < and > as they are.
func encode(request any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(request)
	return b.Bytes(), err
}
