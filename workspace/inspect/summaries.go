package inspect

import "time"

// A SummariesQuery selects summaries that are kept of an agent's files. The zero value
// selects the first page.
type SummariesQuery struct {
	Path  string // of the file whose summaries are wanted, with their texts; "": of all files, without
	After string // the Next of the page before; "": from the first
	Limit int    // files with summaries at most, 1-50; 0: 50
}

// A SummaryPage is a page of summaries, in byte order of path, and then of version, method,
// model and prompt. All of it comes from one snapshot.
type SummaryPage struct {
	// Summaries are all those that are kept of some files. One page looks at 1,000 files at
	// most, so there may be few or none although Next is set.
	Summaries []SummaryInfo

	Next string // a path, for After; "": there are no more
}

// A SummaryInfo is a summary that is kept. A write to a file removes its
// summaries, so Version is Current unless the summary was imported.
type SummaryInfo struct {
	Path    string
	Version int64     // that was summarised
	Current int64     // the version that the file has now
	Bytes   int64     // of the current version of the file
	Method  string    // "outline", or the provider of the model
	Model   string    // "" without a model
	Prompt  string    // the version of the rules or of the prompt
	Tokens  int64     // about what the summary costs a model
	Time    time.Time // when it was made
	Text    string    // with SummariesQuery.Path; else ""
}

// SummarySpend is what the summaries of an agent have cost in the present month.
type SummarySpend struct {
	Month  time.Time // its first moment, in UTC
	Tokens int64     // that models have read and written, with those reserved for summaries that are being made
	Limit  int64     // 0: there is no limit
}
