package main

// readerGone cannot tell here.
func readerGone(any) bool { return false }
