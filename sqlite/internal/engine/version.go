package engine

import sqlite3 "modernc.org/sqlite/lib"

// Version is the version of the SQLite in this program. It is 3.51.3 or later: older ones can
// corrupt a database when they reset the write-ahead log (https://www.sqlite.org/wal.html).
const Version = sqlite3.SQLITE_VERSION
