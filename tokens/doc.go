// Package tokens estimates what a text costs a language model, without a
// tokenizer.
//
// [Estimate] reads the text once and allocates nothing. Its only vocabulary is two
// lists of Chinese characters. Use it to decide whether a page fits, which of two
// renderings is cheaper, or where to cut.
//
// How far the estimate is from the o200k_base count, for texts of a few kilobytes:
//
//   - Code (Go, Python, TypeScript), English prose, JSON, logs, Markdown and Chinese:
//     between -5 % and +15 %, more often high. About one real file in fifty is
//     outside. Lists of abbreviated names fall to -9 %, and troff to -8 %. Grammars
//     and long snake_case paths rise to +19 %.
//   - Japanese, Korean, Russian, Arabic, Hindi, Thai, Lao, emoji, CSV, YAML, HTML, base64 and
//     hex: between -15 % and +40 %.
//   - What is drawn for a terminal (colours, tables with lines, bars), and formulas:
//     between -30 % and +50 %.
//   - Other European languages are low: German by 10 %, Polish by up to a third.
//     Vietnamese is up to 45 % high.
//   - A short record or sentence: within three tokens, or a quarter.
//
// The estimate is not for billing or for cutting a text at an exact token. It promises
// nothing for other vocabularies. Package
// [github.com/agent-scratchpad/scratchpad/tokens/o200k] counts exactly, and adds its
// vocabulary to the binary.
package tokens
