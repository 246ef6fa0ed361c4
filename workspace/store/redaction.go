package store

import "time"

// A Redaction is the receipt of a redaction, which removes the content of one version of a
// file for good. It stays for as long as the version is retained.
type Redaction struct {
	Time   time.Time // UTC, in microseconds
	Author Author    // who removed the content; Session is not kept
}

// VersionRedaction removes the content of a version that is retained, with the owner's state
// after it.
type VersionRedaction struct {
	Head   FileHead // its Sizes have 0 for the version
	Number int64    // of the version
	Redaction
	Forget bool   // all summaries of the file are removed
	Change Change // the row for the journal; without a Revision: none
	Owner  OwnerState
}
