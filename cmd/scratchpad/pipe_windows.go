package main

// readerGone cannot tell on this system.
func readerGone(any) bool { return false }
