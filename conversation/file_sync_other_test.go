//go:build !linux

package conversation_test

import "os"

func dataSync(f *os.File) error { return f.Sync() }
