//go:build !unix

package pgtest

import "syscall"

const canKeep = false

func processOf(*account, int) *syscall.SysProcAttr { return nil }

func ended(int) bool { return true }
