// Package tokens estimates what a text costs a language model, without a
// tokenizer.
//
// [Estimate] reads the text once, allocates nothing and carries no vocabulary.
// It is for deciding: does this page fit, which of two renderings is cheaper,
// where to cut. On code, English prose, JSON, logs, Markdown and Chinese of a
// few kilobytes it is within -5 % and +15 % of the o200k_base count, and leans
// high. Other scripts and encoded data are within -15 % and +40 %. A text of a
// few words is within about three tokens.
//
// It is not for billing, not for cutting a text at an exact token, and not for
// other vocabularies, which differ by some ten percent. The exact o200k_base
// count is [github.com/agent-scratchpad/scratchpad/tokens/o200k], at the price
// of its vocabulary in the binary.
package tokens
