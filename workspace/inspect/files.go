package inspect

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// A FilesQuery selects files of an agent, in byte order of path. The zero value selects
// the first page.
type FilesQuery struct {
	After string // the Next of the page before; "": from the first
	Limit int    // 1-1000; 0: 1000
}

// A FilesView is a page of an agent's files. All of it comes from one snapshot.
type FilesView struct {
	Files     []store.File
	Next      string // for FilesQuery.After; "": there are no more
	Following string // the path of the first file after the page; "": there is none
}
