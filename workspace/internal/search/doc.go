// Package search finds passages in texts. [Run] ranks passages by words, or lists the
// lines that hold a string or match a regular expression. It keeps no index: it reads
// the texts, page by page, in bounded memory.
//
// A [Query] is a list of words in any script. Text is compared after NFKC and case
// folding, without marks. Text with spaces has words, and the parts of camelCase. Text
// without spaces, such as Chinese or Thai, has grams: two or three characters in a row.
//
// A passage is a section of Markdown, a paragraph of at most 12 lines of another file, or
// an entry of a log. Run reads the texts once to count words, and then reads those that
// matched again to rank their passages with BM25. Matched texts are kept between the two
// where there is room, so most searches read nothing twice.
package search

// Where to begin: run.go, then query.go, scan.go, which finds the terms of a passage, and
// rank.go, which scores it. fold.go says what characters are equal.
