package conversation

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Options of a [Memory]. Summarize and one trigger are needed. The leading system
// messages and the summary count towards none of the numbers.
type Options struct {
	// SummarizeAt is how many messages trigger a summary; 0: tokens alone do.
	SummarizeAt int
	// KeepLast is how many messages are kept verbatim then; more where a unit would
	// be cut.
	KeepLast int
	// Max is the first form of Flint's options, instead of KeepLast, which becomes
	// Max-SummarizeAt where that is positive, else Max-1, and at most SummarizeAt-1.
	Max int
	// SummarizeAtTokens and KeepTokens are the same by tokens. With both forms the
	// first to be reached triggers, and the shorter end is kept; a keep of 0 is no
	// bound beside another one.
	SummarizeAtTokens, KeepTokens int
	// CountTokens says what a message costs; nil: [EstimateTokens]. It is called
	// once for each message, from any goroutine.
	CountTokens func(Message) int
	// Summarize makes a text of messages that leave the window. It gets a context
	// that ends with SummarizeTimeout, and should heed it. A text that costs more
	// than what it replaces is refused, and asked for again with more messages.
	Summarize func(context.Context, Request) (string, error)
	// SummarizeTimeout ends a call of Summarize; 0: 60 s. One that goes on is
	// abandoned, its answer discarded.
	SummarizeTimeout time.Duration
	// SummaryTokens is [Request.MaxTokens]; 0: 1,024.
	SummaryTokens int
	// Background has a goroutine make the summaries, for which [Memory.Wait] waits;
	// otherwise the Append that triggers one does.
	Background bool
	// Evidence says how much exact text is carried beside the summary.
	Evidence EvidenceOptions
	// Journal keeps every message; nil: memory alone. It stays its owner's, and
	// belongs to one Memory.
	Journal Journal
	// OnError gets what went wrong with a summary, and is told when a call without a
	// result keeps the window from shrinking; nil: a warning in slog.Default. It must
	// not call Wait or Close, which would wait for it.
	OnError func(error)
	// Now is the clock of the pauses after a failure; nil: time.Now.
	Now func() time.Time
}

// A Request is what a summariser is given. All of it is the summariser's own.
type Request struct {
	Previous  string    // the summary so far, which the new one replaces; "" for none
	Messages  []Message // that leave the window, the oldest first; whole units
	Evidence  []string  // exact strings that are carried beside the summary
	MaxTokens int       // about how long the summary may be
}

// withDefaults refuses options that contradict each other, and fills in the rest.
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
		return o, config("Journal is a *File that is nil: look at the error of FileJournal")
	case o.SummarizeTimeout < 0:
		return o, config("SummarizeTimeout is %v: it cannot be negative", o.SummarizeTimeout)
	case o.Summarize == nil:
		return o, config("Summarize is missing: anthropicmsg.Summarizer and openaimsg.Summarizer make one of a client")
	case o.SummarizeAt == 0 && o.SummarizeAtTokens == 0:
		return o, config("nothing triggers a summary: set SummarizeAt or SummarizeAtTokens")
	case o.Max > 0 && o.KeepLast > 0:
		return o, config("Max and KeepLast exclude each other: Max is another form of KeepLast")
	case o.Max == 1:
		return o, config("Max is 1: there would be nothing beside the summary")
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
		return o, config("KeepLast is %d, SummarizeAt %d: there would be nothing to summarise", o.KeepLast, o.SummarizeAt)
	case o.SummarizeAtTokens > 0 && o.KeepTokens >= o.SummarizeAtTokens:
		return o, config("KeepTokens is %d, SummarizeAtTokens %d: there would be nothing to summarise", o.KeepTokens, o.SummarizeAtTokens)
	}
	if o.CountTokens == nil {
		o.CountTokens = EstimateTokens
	}
	if o.SummarizeTimeout == 0 {
		o.SummarizeTimeout = time.Minute
	}
	if o.SummaryTokens == 0 {
		o.SummaryTokens = 1024
	}
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

// count returns the tokens of a message, where any option asks for them.
func (o *Options) count(m Message) int {
	if o.SummarizeAtTokens == 0 && o.KeepTokens == 0 {
		return 0
	}
	return max(0, o.CountTokens(m.clone()))
}

func (o *Options) trigger() trigger {
	return trigger{messages: o.SummarizeAt, tokens: o.SummarizeAtTokens, keep: keep{o.KeepLast, o.KeepTokens}}
}
