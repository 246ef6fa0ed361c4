//go:build !unix

package clientconfig

import "os"

// keepOwner does nothing on this system.
func keepOwner(*os.File, os.FileInfo) {}
