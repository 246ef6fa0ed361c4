package store

import (
	"crypto/sha256"
	"time"
)

// FileHead is what is kept of a path besides its versions. The retained versions are the
// len(Sizes) newest up to Version, without gaps.
type FileHead struct {
	Path    string
	Version int64   // the highest ever given; 0: the path was never written
	Sizes   []int64 // bytes of each retained version, the oldest first
	Summary int64   // bytes of the summaries that are kept
	Deleted bool
	Created time.Time // of the first version since the path was new or deleted
	Updated time.Time // of the last write or the deletion
}

// Exists reports whether the path is a file now.
func (h FileHead) Exists() bool { return h.Version > 0 && !h.Deleted }

// Oldest returns the lowest version that is retained, and Version+1 if none is.
func (h FileHead) Oldest() int64 { return h.Version - int64(len(h.Sizes)) + 1 }

// Size returns the bytes of the current version.
func (h FileHead) Size() int64 {
	if len(h.Sizes) == 0 {
		return 0
	}
	return h.Sizes[len(h.Sizes)-1]
}

// Largest returns the bytes of the largest version that is retained.
func (h FileHead) Largest() (bytes int64) {
	for _, size := range h.Sizes {
		bytes = max(bytes, size)
	}
	return bytes
}

// Kept returns the bytes of all versions that are retained.
func (h FileHead) Kept() (bytes int64) {
	for _, size := range h.Sizes {
		bytes += size
	}
	return bytes
}

// A File is a file in a list.
type File struct {
	FileHead
	Current Version // what the [ScanQuery] asks for of the current version
}

// Version is one version of a file. In a list of versions, Content is nil.
//
// A version that is Redacted has no content any more: Content is nil, and Size and SHA256
// are zero. It keeps its number, author, time and project.
type Version struct {
	Number   int64
	Size     int64
	SHA256   [sha256.Size]byte
	Author   Author
	Time     time.Time
	Project  string     `json:",omitempty"` // from which another agent's memory was written; "": from none
	Redacted *Redaction // nil: it has its content
	Content  []byte
}

// FileChange is a change of one file, with the owner's state after it.
type FileChange struct {
	Head   FileHead
	New    *Version // nil: none, as in a deletion; an import may have one that is redacted
	Prune  int64    // versions up to this number are removed; 0: none
	Pruned int      // how many those are, if that is known; a hint
	Forget bool     // all summaries of the file are removed
	Change Change   // the row for the journal; without a Revision: none
	Owner  OwnerState
}

// FileMove is a move of a file, with the owner's state after it. The versions above Above
// go from one path to the other, with their numbers, authors and times. The other versions
// and all summaries of the file are removed. There was no file at the other path.
type FileMove struct {
	From, To FileHead // From is deleted
	Above    int64
	Forget   bool    // the file has summaries
	New      Version // the current version of To
	Only     Version // the file's only version, as it was loaded; zero: there are more, or it is not known
	Prune    int64   // versions of To up to this number are removed after the move; 0: none
	Change   Change
	Owner    OwnerState
}

// SummaryKey says of which version a summary was made, and how.
type SummaryKey struct {
	Version int64
	Method  string // "outline", or the provider of the model
	Model   string // "" without a model
	Prompt  string // the version of the rules or of the prompt
}

// Summary is a summary of a version of a file.
type Summary struct {
	SummaryKey
	SHA256  [sha256.Size]byte
	Tokens  int64 // about what it costs a model
	Time    time.Time
	Content []byte
}

// SummaryChange keeps a summary of a file, with the owner's state after it.
type SummaryChange struct {
	Head  FileHead
	New   Summary
	Owner OwnerState
}
