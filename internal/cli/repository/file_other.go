//go:build !unix

package repository

const noFollow = 0

// owned is always true: this system keeps no owner that could be compared.
func owned(string) bool { return true }
