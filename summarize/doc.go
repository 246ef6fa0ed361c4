// Package summarize makes a long text shorter for a reader who pays for every
// token of it.
//
// [Outline] works offline and always gives the same answer for the same text. It
// tells where things are, not what they mean: see package outline. The other
// summarizers ask a model, for its price.
//
//	outline := summarize.Outline(summarize.OutlineOptions{})
//	svc, err := workspace.New(store, workspace.Options{Summarizer: &outline})
package summarize
