package conversation_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

func TestOptions(t *testing.T) {
	ok := func(context.Context, Request) (string, error) { return "s", nil }
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"nothing":                        {Options{}, false},
		"no summariser":                  {Options{SummarizeAt: 4}, false},
		"no trigger":                     {Options{Summarize: ok, KeepLast: 2}, false},
		"keeps as much as triggers":      {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 4}, false},
		"keeps more":                     {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 5}, false},
		"keeps as many tokens":           {Options{Summarize: ok, SummarizeAtTokens: 4, KeepTokens: 4}, false},
		"both of Flint's forms":          {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 2, Max: 5}, false},
		"Max of 1":                       {Options{Summarize: ok, SummarizeAt: 4, Max: 1}, false},
		"negative SummarizeAt":           {Options{Summarize: ok, SummarizeAt: -1, SummarizeAtTokens: 10}, false},
		"negative KeepLast":              {Options{Summarize: ok, SummarizeAt: 4, KeepLast: -1}, false},
		"negative Max":                   {Options{Summarize: ok, SummarizeAt: 4, Max: -1}, false},
		"negative tokens":                {Options{Summarize: ok, SummarizeAt: 4, SummarizeAtTokens: -1}, false},
		"negative KeepTokens":            {Options{Summarize: ok, SummarizeAt: 4, KeepTokens: -1}, false},
		"negative SummaryTokens":         {Options{Summarize: ok, SummarizeAt: 4, SummaryTokens: -1}, false},
		"negative timeout":               {Options{Summarize: ok, SummarizeAt: 4, SummarizeTimeout: -1}, false},
		"a file journal that is nil":     {Options{Summarize: ok, SummarizeAt: 4, Journal: (*File)(nil)}, false},
		"messages":                       {Options{Summarize: ok, SummarizeAt: 4}, true},
		"tokens":                         {Options{Summarize: ok, SummarizeAtTokens: 4}, true},
		"tokens, and messages kept":      {Options{Summarize: ok, SummarizeAtTokens: 4, KeepLast: 100}, true},
		"both":                           {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 3, SummarizeAtTokens: 9, KeepTokens: 8}, true},
		"no evidence":                    {Options{Summarize: ok, SummarizeAt: 4, Evidence: EvidenceOptions{MaxTokens: -1}}, true},
		"Flint's example, which kept 0":  {Options{Summarize: ok, SummarizeAt: 30, Max: 20}, true},
		"Flint's first form, as meant":   {Options{Summarize: ok, SummarizeAt: 4, Max: 5}, true},
		"Flint's first form, very large": {Options{Summarize: ok, SummarizeAt: 4, Max: 500}, true},
	} {
		m, err := New(c.o)
		if (err == nil) != c.ok || c.ok != (m != nil) || !c.ok && !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Open(t.Context(), c.o); !c.ok && !errors.Is(err, ErrConfig) || c.ok && !errors.Is(err, ErrNoJournal) {
			t.Errorf("%s, Open without a journal: %v", name, err)
		}
	}
}
