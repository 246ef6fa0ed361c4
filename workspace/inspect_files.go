package workspace

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// A FilesQuery selects files of an agent, in byte order of path. The zero value selects
// the first page.
type FilesQuery struct {
	After string // Next of the page before; "": the first page
	Limit int    // files at most, 1-1000; 0: 1000
}

// A FilesView is a page of an agent's files. All of it comes from one snapshot.
type FilesView struct {
	Files     []store.File // Current has the author alone
	Next      string       // for FilesQuery.After; "": there are no more files
	Following string       // the path of the first file after the page; "": there is none
}

const maxFilesPage = 1000

// filesView returns a page of files. It reads once. Errors: [ErrInvalid], and those of the
// reader.
func filesView(r store.Reader, q FilesQuery) (FilesView, error) {
	if err := setLimit(&q.Limit, maxFilesPage, maxFilesPage); err != nil {
		return FilesView{}, err
	}
	if err := checkAfter(q.After); err != nil {
		return FilesView{}, err
	}
	page, err := r.Scan(store.ScanQuery{Kind: KindFile, After: q.After, Limit: q.Limit + 1, Authors: true})
	files := page.Files
	if err != nil || len(files) <= q.Limit {
		return FilesView{Files: files}, err
	}
	return FilesView{Files: files[:q.Limit:q.Limit], Next: files[q.Limit-1].Path, Following: files[q.Limit].Path}, nil
}
