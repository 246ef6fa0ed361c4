package inspect

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A FileQuery selects a version of a file by the file's path, or by when it was created.
type FileQuery struct {
	Path    string    // "": the file is the one that was created at Created
	Created time.Time // with a Path the file must also be this one; zero: any
	Version int64     // 0: the current one
	Content bool      // with the content of the version
	Count   bool      // as an operation of the agent
}

// A FileView is a version of a file. All of it comes from one snapshot.
type FileView struct {
	File    store.FileHead
	Version store.Version // its Content is nil unless it was asked for
}

// A VersionsQuery selects retained versions of all files of an agent, the newest first.
// The zero value selects the first page of all.
type VersionsQuery struct {
	Created     time.Time   // of the file; zero: of all files
	Key         string      // the id of the author's API key; "": any
	Op          VersionOp   // "": any
	From, Until time.Time   // when they were made, both included; zero: any time
	After       *VersionRef // the last version of the page before; nil: from the newest
	Limit       int         // 1-100; 0: 100
}

// A VersionRef names a version in the order of a [VersionsPage]: by time, then by when the
// file was created, then by number, each the newest first.
type VersionRef struct {
	Time    time.Time
	Created time.Time
	Number  int64
}

// A VersionOp says whether a version has made its file or has changed it.
type VersionOp string

const (
	Created  VersionOp = "created"
	Modified VersionOp = "modified"
)

// A FileVersion is a version, without content, and its file.
type FileVersion struct {
	File    store.FileHead
	Version store.Version
	Op      VersionOp
}

// A VersionsPage is a page of versions.
type VersionsPage struct {
	Versions []FileVersion
	More     bool
}
