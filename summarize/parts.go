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
			return made[0].text, nil
		}
		parts = join(made, j.fan())
	}
}

// one returns the summary of a part.
func (j *job) one(ctx context.Context, of part, title string, summaries bool) (string, error) {
	text, spent, t := j.call(ctx, j.request.Path, of, title, summaries)
	j.spent += spent
	if t != nil {
		return "", t.failure()
	}
	j.done++
	j.request.Progress(j.done, j.total)
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

// split cuts a text into parts of about window tokens, at the ends of lines. A line that is
// longer than a part is cut. The first line of each part, and every tenth line of the text,
// begin with their number. There is at least one part.
func split(content string, window int) []part {
	var parts []part
	var text strings.Builder
	now, cost, line := part{from: 1, to: 1}, 0, 0
	end := func() {
		now.text = text.String()
		parts = append(parts, now)
		text.Reset()
		cost = 0
	}
	for rest := range strings.Lines(content) {
		line++
		number, isTenth := strconv.Itoa(line)+"|", line%10 == 0
		if rest = withoutControls(rest); isTenth {
			rest = number + rest
		}
		for isNumbered := isTenth; rest != ""; isNumbered = false {
			piece := rest[:fitting(rest, window)]
			adds := tokens.Estimate(piece)
			if cost > 0 && cost+adds > window {
				end()
			}
			if text.Len() == 0 {
				now.from = line
				if !isNumbered {
					text.WriteString(number)
					cost = tokens.Estimate(number)
				}
			}
			text.WriteString(piece)
			cost += adds
			now.to = line
			rest = rest[len(piece):]
		}
	}
	if text.Len() > 0 || len(parts) == 0 {
		end()
	}
	return parts
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
