package conversation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Options of a [Memory]. Summarize and SummarizeAt or SummarizeAtTokens must be set.
// The leading system messages and the summary do not count in any of the numbers.
type Options struct {
	// SummarizeAt is how many messages trigger a summary. Zero means that only tokens
	// trigger one.
	SummarizeAt int
	// KeepLast is how many messages are kept verbatim beside a new summary. More are
	// kept if a unit would be cut.
	KeepLast int
	// Max is an older form of KeepLast, from Flint; set one of the two. KeepLast
	// becomes Max-SummarizeAt if that is positive, and Max-1 otherwise, but at most
	// SummarizeAt-1.
	Max int
	// SummarizeAtTokens and KeepTokens count tokens in place of messages. If both forms
	// are set, the first limit that is reached triggers a summary, and the shorter end
	// is kept. A keep of zero is no limit if the other one is set.
	SummarizeAtTokens, KeepTokens int
	// CountTokens returns the tokens of a message. Nil means [EstimateTokens]. It is
	// called once for each message, from any goroutine.
	CountTokens func(Message) int
	// Summarize writes a summary of messages that leave the window. Its context ends
	// after SummarizeTimeout, and it should return then. If the summary has more tokens
	// than what it replaces, it is refused, and asked for again with more messages.
	Summarize func(context.Context, Request) (string, error)
	// SummarizeTimeout limits a call of Summarize. Zero means 60 s. A call that does not
	// return in time is abandoned, and its answer is discarded.
	SummarizeTimeout time.Duration
	// SummaryTokens is the MaxTokens of a [Request]. Zero means 1,024.
	SummaryTokens int
	// Background makes the summaries in a goroutine; [Memory.Wait] waits for it.
	// Otherwise the Append that triggers a summary makes it.
	Background bool
	// Evidence says how much exact text is carried beside the summary.
	Evidence EvidenceOptions
	// Journal stores every message. Nil means that nothing is stored. A Journal must not
	// be used by two memories. Memory does not close it.
	Journal Journal
	// OnError is called with the error of a summary, and when a call without a result
	// keeps the window from shrinking. Nil means a warning in slog.Default. It must not
	// call Wait or Close, which would wait for it.
	OnError func(error)
	// Now is the clock of the pauses after a failure. Nil means time.Now.
	Now func() time.Time
}

// A Request is what a summariser is given. The summariser may change all of it.
type Request struct {
	Previous  string    // the summary so far, which the new one replaces; "" for none
	Messages  []Message // the messages that leave the window: whole units, the oldest first
	Evidence  []string  // exact strings that are carried beside the summary
	MaxTokens int       // about how many tokens the summary may have
}

// withDefaults returns the options with their defaults filled in.
// Errors: [ErrConfig].
func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"SummarizeAt", o.SummarizeAt}, {"KeepLast", o.KeepLast}, {"Max", o.Max},
		{"SummarizeAtTokens", o.SummarizeAtTokens}, {"KeepTokens", o.KeepTokens},
		{"SummaryTokens", o.SummaryTokens},
	} {
		if f.value < 0 {
			return o, config("%s is %d: it cannot be negative", f.name, f.value)
		}
	}
	switch {
	case o.Journal == Journal((*File)(nil)):
		return o, config("Journal is a *File that is nil: check the error of FileJournal")
	case o.SummarizeTimeout < 0:
		return o, config("SummarizeTimeout is %v: it cannot be negative", o.SummarizeTimeout)
	case o.Summarize == nil:
		return o, config("Summarize is missing: " +
			"anthropicmsg.Summarizer and openaimsg.Summarizer return one for a client")
	case o.SummarizeAt == 0 && o.SummarizeAtTokens == 0:
		return o, config("nothing triggers a summary: set SummarizeAt or SummarizeAtTokens")
	case o.Max > 0 && o.KeepLast > 0:
		return o, config("Max and KeepLast are both set: Max is another form of KeepLast")
	case o.Max == 1:
		return o, config("Max is 1: no message would be kept beside the summary")
	}
	if o.Max > 0 {
		o.KeepLast = o.Max - o.SummarizeAt
		if o.KeepLast <= 0 {
			o.KeepLast = o.Max - 1
		}
		if o.SummarizeAt > 0 {
			o.KeepLast = min(o.KeepLast, o.SummarizeAt-1)
		}
	}
	switch {
	case o.SummarizeAt > 0 && o.KeepLast >= o.SummarizeAt:
		return o, config("KeepLast is %d and SummarizeAt is %d: there would be nothing to summarise", o.KeepLast,
			o.SummarizeAt)
	case o.SummarizeAtTokens > 0 && o.KeepTokens >= o.SummarizeAtTokens:
		return o, config("KeepTokens is %d and SummarizeAtTokens is %d: there would be nothing to summarise",
			o.KeepTokens, o.SummarizeAtTokens)
	}
	if o.CountTokens == nil {
		o.CountTokens = EstimateTokens
	}
	o.SummarizeTimeout = cmp.Or(o.SummarizeTimeout, time.Minute)
	o.SummaryTokens = cmp.Or(o.SummaryTokens, 1024)
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Default().Warn("conversation", "error", err) }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

func config(format string, args ...any) error {
	return fmt.Errorf("conversation options: %s: %w", fmt.Sprintf(format, args...), ErrConfig)
}

// count returns the tokens of a message, or 0 if no option needs them.
func (o *Options) count(m Message) int {
	if o.SummarizeAtTokens == 0 && o.KeepTokens == 0 {
		return 0
	}
	return max(0, o.CountTokens(m.clone()))
}

func (o *Options) trigger() trigger {
	return trigger{messages: o.SummarizeAt, tokens: o.SummarizeAtTokens, keep: keep{o.KeepLast, o.KeepTokens}}
}
