-- From schema 1 to 2: an owner's row counts the versions that are kept, and has
-- the time of the last write. bytes is content alone: a request is counted by
-- requests. A process that still runs on schema 1 can store nothing any more,
-- because the row that it writes lacks columns that must not be NULL.

ALTER TABLE owners RENAME TO owners_1;

CREATE TABLE owners (
	owner         TEXT NOT NULL PRIMARY KEY,
	files         INTEGER NOT NULL CHECK (files >= 0),
	logs          INTEGER NOT NULL CHECK (logs >= 0),
	entries       INTEGER NOT NULL CHECK (entries >= 0),
	versions      INTEGER NOT NULL CHECK (versions >= 0),
	bytes         INTEGER NOT NULL CHECK (bytes >= 0),
	operations    INTEGER NOT NULL CHECK (operations >= 0),
	file_floor    INTEGER NOT NULL CHECK (file_floor >= 0),
	log_floor     INTEGER NOT NULL CHECK (log_floor >= 0),
	deleted_files INTEGER NOT NULL CHECK (deleted_files >= 0),
	deleted_logs  INTEGER NOT NULL CHECK (deleted_logs >= 0),
	requests      INTEGER NOT NULL CHECK (requests >= 0),
	updated       INTEGER NOT NULL,
	crc           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
