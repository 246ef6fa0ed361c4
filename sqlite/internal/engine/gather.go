package engine

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes each page of a commit to its log with two calls of the system: 24 bytes,
// and the page. A gatherer stands in place of the log's table of functions. It keeps what
// is written one after the other, and writes that at once: when the last page of a commit
// has come, when there is no more room, and before anything else is done with the log.
//
// It keeps something only while [Conn.Commit] runs, in which SQLite syncs the log before
// it tells other processes of the pages.
type gatherer struct{ at uintptr } // in SQLite's memory; 0: there is none

// Behind a copy of the usual table come these, each in 8 bytes, and then what is kept.
const (
	methodsBytes = unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})
	usualAt      = methodsBytes      // where the usual table is
	onAt         = methodsBytes + 8  // 1: Commit runs
	startAt      = methodsBytes + 16 // the place in the log of what is kept
	countAt      = methodsBytes + 24 // its bytes
	lastAt       = methodsBytes + 32 // above 0: the next page is the last one of a commit
	keptAt       = methodsBytes + 40
)

const (
	mostKept   = 120 << 10 // SQLite itself writes at most 128 KiB less one byte at once
	frameBytes = 24        // before each page
)

func (g gatherer) get(field uintptr) int64 { return int64(pointer(g.at + field)) }

func (g gatherer) set(field uintptr, n int64) {
	binary.NativeEndian.PutUint64(libc.GoBytes(g.at+field, 8), uint64(n))
}

// usual returns a pointer to a function of the usual table.
func (g gatherer) usual(field uintptr) unsafe.Pointer {
	f := pointer(pointer(g.at+usualAt) + field)
	return unsafe.Pointer(&f)
}

// The places of the functions in a table.
const (
	xRead     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxRead)
	xWrite    = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxWrite)
	xTruncate = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxTruncate)
	xSync     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxSync)
	xFileSize = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxFileSize)
)

type (
	moveFunc     func(tls *libc.TLS, log, memory uintptr, n int32, at int64) int32 // read or write
	truncateFunc func(tls *libc.TLS, log uintptr, size int64) int32
	syncFunc     func(tls *libc.TLS, log uintptr, flags int32) int32
	fileSizeFunc func(tls *libc.TLS, log, to uintptr) int32
)

func (g gatherer) write(tls *libc.TLS, log, from uintptr, n int32, at int64) int32 {
	return (*(*moveFunc)(g.usual(xWrite)))(tls, log, from, n, at)
}

// flush writes what is kept. After an error nothing is kept: the commit fails.
func (g gatherer) flush(tls *libc.TLS, log uintptr) int32 {
	n := g.get(countAt)
	g.set(countAt, 0)
	if n == 0 {
		return sqlite3.SQLITE_OK
	}
	return g.write(tls, log, g.at+keptAt, int32(n), g.get(startAt))
}

func gatherWrite(tls *libc.TLS, log, from uintptr, n int32, at int64) int32 {
	g := gatherer{pointer(log)}
	count := g.get(countAt)
	if count > 0 && (at != g.get(startAt)+count || count+int64(n) > mostKept) {
		if rc := g.flush(tls, log); rc != sqlite3.SQLITE_OK {
			return rc
		}
		count = 0
	}
	if g.get(onAt) == 0 || n > mostKept {
		return g.write(tls, log, from, n, at)
	}
	if count == 0 {
		g.set(startAt, at)
	}
	b := libc.GoBytes(from, int(n))
	copy(libc.GoBytes(g.at+keptAt+uintptr(count), int(n)), b)
	g.set(countAt, count+int64(n))
	if n == frameBytes { // with the number of pages that the database has after a commit
		g.set(lastAt, int64(binary.BigEndian.Uint32(b[4:])))
	} else if g.get(lastAt) > 0 {
		g.set(lastAt, 0)
		return g.flush(tls, log)
	}
	return sqlite3.SQLITE_OK
}

func gatherRead(tls *libc.TLS, log, to uintptr, n int32, at int64) int32 {
	g := gatherer{pointer(log)}
	if rc := g.flush(tls, log); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*moveFunc)(g.usual(xRead)))(tls, log, to, n, at)
}

func gatherTruncate(tls *libc.TLS, log uintptr, size int64) int32 {
	g := gatherer{pointer(log)}
	if rc := g.flush(tls, log); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*truncateFunc)(g.usual(xTruncate)))(tls, log, size)
}

func gatherSync(tls *libc.TLS, log uintptr, flags int32) int32 {
	g := gatherer{pointer(log)}
	if rc := g.flush(tls, log); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*syncFunc)(g.usual(xSync)))(tls, log, flags)
}

func gatherFileSize(tls *libc.TLS, log, to uintptr) int32 {
	g := gatherer{pointer(log)}
	if rc := g.flush(tls, log); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return (*(*fileSizeFunc)(g.usual(xFileSize)))(tls, log, to)
}

// GatherWrites makes [Conn.Commit] write the pages of a commit to the log at once. The
// connection has synchronous=FULL, and has read the database: its log is open.
func (c *Conn) GatherWrites() error {
	main, err := libc.CString("main")
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, main)
	out := c.tls.Alloc(pointerBytes)
	defer c.tls.Free(pointerBytes)
	if rc := sqlite3.Xsqlite3_file_control(c.tls, c.db, main, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER, out); rc != sqlite3.SQLITE_OK {
		return c.error(rc)
	}
	log := pointer(out)
	usual := pointer(log)
	if usual == 0 {
		return workspace.Errorf(workspace.ErrBusy, "the write-ahead log is not open")
	}
	g := gatherer{sqlite3.Xsqlite3_malloc64(c.tls, uint64(keptAt+mostKept))}
	if g.at == 0 {
		return c.error(sqlite3.SQLITE_NOMEM)
	}
	copy(libc.GoBytes(g.at, int(methodsBytes)), libc.GoBytes(usual, int(methodsBytes)))
	for _, field := range []uintptr{onAt, startAt, countAt, lastAt} {
		g.set(field, 0)
	}
	g.set(usualAt, int64(usual))
	read, write, truncate, sync, size := gatherRead, gatherWrite, gatherTruncate, gatherSync, gatherFileSize
	g.set(xRead, *(*int64)(unsafe.Pointer(&read)))
	g.set(xWrite, *(*int64)(unsafe.Pointer(&write)))
	g.set(xTruncate, *(*int64)(unsafe.Pointer(&truncate)))
	g.set(xSync, *(*int64)(unsafe.Pointer(&sync)))
	g.set(xFileSize, *(*int64)(unsafe.Pointer(&size)))
	binary.NativeEndian.PutUint64(libc.GoBytes(log, pointerBytes), uint64(g.at))
	c.gather, c.log = g, log
	return nil
}

// Commit runs COMMIT.
func (c *Conn) Commit() error {
	g := c.gather
	if g.at == 0 {
		_, err := c.Exec("COMMIT")
		return err
	}
	g.set(onAt, 1)
	_, err := c.Exec("COMMIT")
	g.set(onAt, 0)
	g.set(lastAt, 0)
	switch left := g.get(countAt); {
	case left == 0:
	case err == nil: // SQLite has synced the log without it
		e := &Error{Code: CodeIOErrFsync, Text: fmt.Sprintf("%d bytes of a commit came after the sync of the log", left)}
		err = e.WithKind(kindOf(e.Code))
	case sqlite3.Xsqlite3_txn_state(c.tls, c.db, 0) != sqlite3.SQLITE_TXN_WRITE:
		g.set(countAt, 0) // the transaction is undone, and the log may be another process's now
	default: // the transaction goes on
		if rc := g.flush(c.tls, c.log); rc != sqlite3.SQLITE_OK {
			err = c.failed(c.error(rc))
		}
	}
	return err
}
