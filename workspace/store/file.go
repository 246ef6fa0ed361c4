package store

import (
	"crypto/sha256"
	"time"
)

// FileHead describes the file at a path, without its versions. A deleted file may retain
// versions. The last retained version of a file that exists is the current one.
type FileHead struct {
	Path    string
	Version int64   // the highest version ever given; 0: the path was never written, or its number is forgotten
	Sizes   []int64 // bytes of each retained version, the oldest first; 0 for a redacted version
	Summary int64   // bytes of the stored summaries
	Deleted bool
	Created time.Time // when the file was created; a move keeps this time
	Updated time.Time // time of the last write or the deletion

	// Deleter deleted the file. It is zero for a file that exists, and has no Session.
	Deleter Author `json:",omitzero"`
	// Expires is the time until which the retained versions of a deleted file can be restored.
	// It is zero for a file that exists, and for a deleted file without versions.
	Expires time.Time `json:",omitzero"`
	// Runs says which versions are retained, the oldest first. nil: the len(Sizes) versions up
	// to Version, which all belong to Created.
	Runs []Run `json:",omitempty"`
}

// A Run is a part of the retained versions of a file: Count versions from First on, without
// gaps. Created is when the file that they belong to was created. A path has several such
// times if its file was deleted and another one was written.
type Run struct {
	First, Count int64
	Created      time.Time
}

// Exists reports whether there is a file at the path.
func (h FileHead) Exists() bool { return h.Version > 0 && !h.Deleted }

// Restorable reports whether the file is deleted and has versions that can be restored.
func (h FileHead) Restorable(now time.Time) bool {
	return h.Deleted && len(h.Sizes) > 0 && now.Before(h.Expires)
}

// Size returns the bytes of the current version, or 0 if there is none.
func (h FileHead) Size() int64 {
	if h.Deleted || len(h.Sizes) == 0 {
		return 0
	}
	return h.Sizes[len(h.Sizes)-1]
}

// Largest returns the bytes of the largest retained version.
func (h FileHead) Largest() (bytes int64) {
	for _, size := range h.Sizes {
		bytes = max(bytes, size)
	}
	return bytes
}

// Kept returns the bytes of all retained versions.
func (h FileHead) Kept() (bytes int64) {
	for _, size := range h.Sizes {
		bytes += size
	}
	return bytes
}

// A File is a file in a list.
type File struct {
	FileHead
	Current Version // the current version, with the fields that the ScanQuery asks for
}

// Version is one version of a file. In a list of versions, Content is nil.
//
// A redacted version has no content any more: Content is nil, and Size and SHA256 are zero. The
// version keeps its number, author, time and project.
type Version struct {
	Number   int64
	Size     int64
	SHA256   [sha256.Size]byte
	Author   Author
	Time     time.Time
	Project  string     `json:",omitempty"` // the project that wrote to another agent's memory; "": none
	Redacted *Redaction // the receipt of the redaction; nil: the version has its content
	Content  []byte
}

// FileChange is a change of one file. Owner is the owner's state after the change.
type FileChange struct {
	Head   FileHead
	New    *Version // the new version; nil: none, as in a deletion; an imported one may be redacted
	Prune  int64    // removes the versions up to this number; 0: none
	Scrub  bool     // Prune removes content for good, as a redaction does
	Pruned int      // a hint: how many versions Prune removes; 0: not known
	Forget bool     // removes all summaries of the file
	Change Change   // the row for the journal; a Revision of 0: no row
	Owner  OwnerState
}

// FileMove is a move of a file. Owner is the owner's state after the move. The versions above
// Above move to the new path, with their numbers, authors and times. Then New is added. The
// other versions stay, unless From retains none: then they are removed. All summaries of the
// file are removed. There is no file at the new path before the move, and no version above Above.
type FileMove struct {
	From, To FileHead // after the move; From is Deleted
	Above    int64
	Forget   bool    // removes the summaries of the file; set if there are any
	New      Version // the new current version of To
	Prune    int64   // after the move, removes the versions of To up to this number; 0: none
	Change   Change
	Owner    OwnerState
}

// Changes returns what a move does to its two paths, once the versions that it takes along have
// their new path. Neither has the row for the journal.
func (m FileMove) Changes() (from, to FileChange) {
	from, to = FileChange{Head: m.From, Forget: m.Forget}, FileChange{Head: m.To, New: &m.New, Prune: m.Prune}
	if len(m.From.Sizes) == 0 {
		from.Prune = m.Above
	}
	return from, to
}

// SummaryKey says which version a summary is of, and how the summary was made.
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
	Tokens  int64 // about how many tokens Content costs a model
	Time    time.Time
	Content []byte
}

// SummaryChange stores a summary of a file. Owner is the owner's state after the change.
type SummaryChange struct {
	Head  FileHead
	New   Summary
	Owner OwnerState
}
