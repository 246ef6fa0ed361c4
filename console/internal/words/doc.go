// Package words makes rows for a page that shows the difference of two texts,
// unified or side by side. In lines that changed a little it marks the words that differ.
//
// [Compare] holds the difference in compact form, and [Diff.View] lays it out. A page
// asks the [View] for the rows that it shows. Only these rows are compared word by word.
//
// A word is a run of letters and digits. A space, a punctuation mark and an emoji are
// units of their own. So is each character of Chinese, Japanese, Thai, Lao, Khmer and
// Burmese. Marks never divide a character from its combining marks, and never a
// sequence that shows as one emoji.
//
// Inside one run of changed lines, removed lines are paired with the added lines that
// are most like them, in order. Lines with too little in common have no marks inside.
//
// The cost is bounded, linear in the texts apart from [linediff.Compare]:
//   - A run of more than 65,536 removed and added lines has no pairs.
//   - In a run of more than 16,384 possible pairs, lines that are equal but for spaces,
//     or equal in their letters, are paired first. Each other line is compared with
//     at most 32 others.
//   - Each run has a budget in proportion to its words. After that it has no more pairs.
//   - A line of more than 8,192 bytes has at most one mark: what lies between the
//     beginning and the end that it shares with its partner.
//
// The package does not detect moved lines, and it writes no HTML.
package words
