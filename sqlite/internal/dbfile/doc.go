// Package dbfile looks after the files of a SQLite database: what stands at its
// path, the files beside it, which process may write next, and the space on the
// disk. It does not know what a database holds; package sqlite does.
//
// SQLite locks a database with POSIX locks. The kernel drops them all as soon as the
// process closes any descriptor of that file. So nothing here opens a database that
// a connection of this process may have open: such files are compared by name, with
// lstat. Only a file that is being made, or a finished copy, is opened.
package dbfile
