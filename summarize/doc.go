// Package summarize makes a long text shorter for a reader who pays for every
// token of it.
//
// [Outline] works offline and always gives the same answer for the same text:
// headings, definitions, keys, columns and repeated lines with the numbers of
// their lines, so that an agent knows what to read next and where. It is a
// [workspace.Summarizer], and [OutlineText] is the same as a plain function:
//
//	outline := summarize.Outline(summarize.OutlineOptions{})
//	svc, err := workspace.New(store, workspace.Options{Summarizer: &outline})
//
// An outline tells where things are, not what they mean; the summarizers that
// ask a model do that, for its price.
package summarize
