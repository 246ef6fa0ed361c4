package sqlite

import "io/fs"

const noFollow = 0

// checkOwner does not look at owners and links here.
func checkOwner(fs.FileInfo, string) error { return nil }
