// Package search finds passages in texts. [Run] ranks passages by words, or lists the
// lines that hold a string or match a regular expression. It keeps no index: it reads
// the texts, page by page, in bounded memory.
//
// A [Query] is a list of words in any script. Text is compared after NFKC and case
// folding, without marks. Text with spaces has words, and the parts of camelCase. Text
// without spaces, such as Chinese or Thai, has grams: two or three characters in a row.
//
// A passage is a section of Markdown, a paragraph of at most 12 lines of another file, or
// an entry of a log. Passages are ranked with BM25.
package search

// A search has four steps, which run.go puts together: parse the query (query.go), find the
// passages that match (match.go, with the terms in a passage in scan.go), score them (score.go),
// and make excerpts of the best (line.go). fold.go says what characters are equal.
