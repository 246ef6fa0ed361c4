// Package diff makes rows for a page that shows the difference of two texts,
// unified or side by side. In lines that changed a little it marks the words that differ.
//
// [Compare] holds the difference in compact form, and [Diff.View] lays it out. A page
// asks the [View] for the rows that it shows. Only these rows are compared word by word.
//
// A word is a run of letters and digits. A space, a punctuation mark and an emoji are
// units of their own. So is each character of Chinese, Japanese, Thai, Lao, Khmer and
// Burmese. Marks never divide a character from its combining marks.
//
// Inside one run of changed lines, the first removed line is compared with the first added
// line, the second with the second, and so on. Lines with too little in common have no marks
// inside.
//
// The cost is that of [linediff.Compare] with a word on each line. Two lines that differ in
// more than 4,096 words have one mark each: what lies between the beginning and the end that
// they share.
//
// The package does not detect moved lines, and it writes no HTML.
package diff
