-- From schema 2 to 3: a journal of changes. An owner's row has the number of its last
-- change, and how many rows of the journal are kept. A process that still runs on schema 2
-- can store nothing any more, because the row that it writes lacks columns that must not
-- be NULL.

ALTER TABLE owners RENAME TO owners_2;

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
	revision      INTEGER NOT NULL CHECK (revision >= 0),
	changes       INTEGER NOT NULL CHECK (changes >= 0),
	updated       INTEGER NOT NULL,
	crc           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The journal of changes. The rows of an owner have the revisions up to that of its row in
-- owners, without gaps. change has the other fields, packed: one column costs a write less
-- than twelve.
CREATE TABLE changes (
	owner    TEXT NOT NULL,
	revision INTEGER NOT NULL CHECK (revision > 0),
	change   BLOB NOT NULL,
	crc      INTEGER NOT NULL,
	PRIMARY KEY (owner, revision)
) STRICT, WITHOUT ROWID;
