// Package summarize makes summaries of long texts, for readers who pay for every
// token that they read.
//
// [Outline] works offline and always returns the same summary for the same text. It
// says where things are, not what they mean: see package outline. [Anthropic] and
// [OpenAI] ask a model, which costs money. [Choose] picks one by its name.
//
//	outline := summarize.Outline(summarize.OutlineOptions{})
//	svc, err := workspace.New(store, workspace.Options{Summarizer: &outline})
package summarize
