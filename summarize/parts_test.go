package summarize

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var quiet = log.New(io.Discard, "", 0)

// The parts contain the whole text in order, and none exceeds the window.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.StringMatching(`[a-z ]{0,60}`), rapid.Just(""), rapid.StringN(0, 400, -1), rapid.Just(strings.Repeat("日本", 300)), rapid.Just(strings.Repeat("word ", 500)), rapid.Just(strings.Repeat("x", 3000)))
		lines := rapid.SliceOfN(line, 0, 60).Draw(t, "lines")
		content := strings.ToValidUTF8(strings.Join(lines, "\n"), "?")
		window := rapid.IntRange(40, 500).Draw(t, "window")
		parts := split(content, window)
		var all strings.Builder
		for i, p := range parts {
			if got := tokens.Estimate(p.text); got > window*11/10+10 {
				t.Fatalf("part %d costs %d, window %d", i, got, window)
			}
			if content != "" && !strings.HasPrefix(p.text, strconv.Itoa(p.from)+"|") || p.from > p.to {
				t.Fatalf("part %d: %d-%d %q", i, p.from, p.to, p.text)
			}
			if i > 0 && p.from != parts[i-1].to && p.from != parts[i-1].to+1 {
				t.Fatalf("part %d starts at %d, the one before ends at %d", i, p.from, parts[i-1].to)
			}
			line := p.from
			for text := range strings.Lines(p.text) {
				if line == p.from || line%10 == 0 {
					text = strings.TrimPrefix(text, strconv.Itoa(line)+"|")
				}
				all.WriteString(text)
				line++
			}
			if content != "" && line != p.to+1 {
				t.Fatalf("part %d: %d-%d has %d lines", i, p.from, p.to, line-p.from)
			}
		}
		n := strings.Count(content, "\n")
		if content != "" && !strings.HasSuffix(content, "\n") {
			n++
		}
		if want := withoutControls(content); all.String() != want {
			t.Fatalf("%q\nwant %q", all.String(), want)
		}
		if content != "" && (parts[0].from != 1 || parts[len(parts)-1].to != n) {
			t.Fatalf("%d lines, parts %d-%d", n, parts[0].from, parts[len(parts)-1].to)
		}
	})
}

var titled = regexp.MustCompile(`(?m)^(Lines|Summaries of lines) (\d+)-(\d+), (part|group) (\d+) of (\d+):$`)

// A file longer than the window is summarised in parts, and progress is reported.
func TestParts(t *testing.T) {
	var content strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&content, "line %d says something of no weight\n", i+1)
	}
	for _, a := range apis {
		var titles []string
		f := newFake(t, nil)
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			user := strings.ReplaceAll(string(body), `\n`, "\n")
			titles = append(titles, titled.FindString(user))
			if len(titles) > 1 && titles[len(titles)-1] == "" && !strings.Contains(user, "Summaries:\n") {
				t.Errorf("no title in %.500s", user)
			}
			if strings.Contains(user, "ummaries") && !strings.Contains(user, "\nmade of part ") && strings.Contains(user, "group 1 of") {
				t.Errorf("no summaries in %.3000s", user)
			}
			answering(good(a, fmt.Sprintf("made of part %d", len(titles)), "end_turn", 3000, 5))(w, r)
		})
		s := summarizer(t, a, ProviderOptions{Key: secret, BaseURL: f.URL}, hooks{})
		var progress []string
		got, err := s.Summarize(t.Context(), workspace.SummaryRequest{
			Path: "p", Content: content.String(),
			Progress: func(done, total int) { progress = append(progress, fmt.Sprintf("%d/%d", done, total)) },
		})
		n := len(titles)
		if err != nil || n < 12 || got.Text != fmt.Sprintf("made of part %d", n) || got.Spent != int64(3005*n) {
			t.Fatalf("%d calls, %+v, %v", n, got, err)
		}
		if len(progress) != n+1 || progress[0] != fmt.Sprintf("0/%d", n) || progress[n] != fmt.Sprintf("%d/%d", n, n) {
			t.Errorf("progress %v", progress)
		}
		if !strings.HasPrefix(titles[0], "Lines 1-") || !strings.Contains(strings.Join(titles, " "), "Summaries of lines 1-") {
			t.Errorf("titles %q", titles)
		}
	}
}

// An error comes with the tokens that were spent.
func TestPartsThatFail(t *testing.T) {
	content := strings.Repeat("a line of text that says nothing\n", 3000)
	calls := 0
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 3 {
			w.WriteHeader(413)
			return
		}
		answering(good(&openaiAPI, "x", "end_turn", 3000, 5))(w, r)
	})
	s := summarizer(t, &openaiAPI, ProviderOptions{BaseURL: f.URL}, hooks{})
	got, err := s.Summarize(t.Context(), request(content))
	checkError(t, err)
	if got.Spent != 6010 || got.Text != "" || calls != 3 {
		t.Errorf("%d calls, %+v", calls, got)
	}
	if got, err = s.Summarize(t.Context(), request(strings.Repeat(content, 80))); err == nil || calls != 3 || got.Spent != 0 || !strings.Contains(err.Error(), "set a larger window") {
		t.Errorf("%d calls, %+v, %v", calls, got, err)
	}
	checkError(t, err)
}
