-- Schema 5, for a new database. The owner, "tenant/agent", is the first column of every
-- primary key. Times are microseconds since 1970 in UTC. crc is the CRC-32C of the other
-- columns of the row, except content: its SHA-256 is among them.

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
, deleted_bytes INTEGER NOT NULL DEFAULT 0 CHECK (deleted_bytes >= 0), restorable INTEGER NOT NULL DEFAULT 0 CHECK (restorable >= 0), next_expiry INTEGER NOT NULL DEFAULT -9223372036854775808) STRICT, WITHOUT ROWID;

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

-- sizes are the bytes of each retained version as varints, the oldest first. expires is the time
-- until which a deleted file retains versions, or the lowest number. past has who deleted it, and
-- which versions are retained if they are not the last ones.
CREATE TABLE files (
	owner         TEXT NOT NULL,
	path          TEXT NOT NULL,
	version       INTEGER NOT NULL CHECK (version > 0),
	sizes         BLOB NOT NULL,
	summary_bytes INTEGER NOT NULL DEFAULT 0 CHECK (summary_bytes >= 0),
	deleted       INTEGER NOT NULL CHECK (deleted IN (0, 1)),
	created       INTEGER NOT NULL,
	updated       INTEGER NOT NULL,
	crc           INTEGER NOT NULL, expires INTEGER NOT NULL DEFAULT -9223372036854775808, past BLOB NOT NULL DEFAULT x'',
	PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX files_deleted ON files (owner, updated, path) WHERE deleted = 1 AND expires = -9223372036854775808;
CREATE INDEX files_restorable ON files (owner, expires, path) WHERE expires > -9223372036854775808;

-- Rows are large. With a rowid, the tree of the primary key stays small. project, and the last
-- columns of owners and files, stand where ALTER TABLE has put them in older databases. While they
-- are zero they are not in crc, which those have without them.
CREATE TABLE versions (
	owner          TEXT NOT NULL,
	path           TEXT NOT NULL,
	version        INTEGER NOT NULL CHECK (version > 0),
	size           INTEGER NOT NULL CHECK (size >= 0),
	sha256         BLOB NOT NULL CHECK (octet_length(sha256) = 32),
	client         TEXT NOT NULL,
	client_version TEXT NOT NULL,
	key_id         TEXT NOT NULL,
	created        INTEGER NOT NULL,
	crc            INTEGER NOT NULL,
	content        BLOB NOT NULL, project TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (owner, path, version)
) STRICT;

CREATE TABLE logs (
	owner   TEXT NOT NULL,
	path    TEXT NOT NULL,
	first   INTEGER NOT NULL CHECK (first > 0),
	last    INTEGER NOT NULL CHECK (last >= first - 1),
	bytes   INTEGER NOT NULL CHECK (bytes >= 0),
	deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
	created INTEGER NOT NULL,
	updated INTEGER NOT NULL,
	crc     INTEGER NOT NULL,
	PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX logs_deleted ON logs (owner, updated, path) WHERE deleted = 1;

CREATE TABLE entries (
	owner          TEXT NOT NULL,
	path           TEXT NOT NULL,
	entry          INTEGER NOT NULL CHECK (entry > 0),
	sha256         BLOB NOT NULL CHECK (octet_length(sha256) = 32),
	client         TEXT NOT NULL,
	client_version TEXT NOT NULL,
	key_id         TEXT NOT NULL,
	created        INTEGER NOT NULL,
	crc            INTEGER NOT NULL,
	content        BLOB NOT NULL,
	PRIMARY KEY (owner, path, entry)
) STRICT, WITHOUT ROWID;

-- The cache of summaries that a model has made of versions.
CREATE TABLE summaries (
	owner   TEXT NOT NULL,
	path    TEXT NOT NULL,
	version INTEGER NOT NULL CHECK (version > 0),
	method  TEXT NOT NULL,
	model   TEXT NOT NULL,
	prompt  TEXT NOT NULL,
	sha256  BLOB NOT NULL CHECK (octet_length(sha256) = 32),
	tokens  INTEGER NOT NULL CHECK (tokens >= 0),
	created INTEGER NOT NULL,
	crc     INTEGER NOT NULL,
	content BLOB NOT NULL,
	PRIMARY KEY (owner, path, version, method, model, prompt)
) STRICT;

-- Writes that had an idempotency key.
CREATE TABLE requests (
	owner   TEXT NOT NULL,
	key     TEXT NOT NULL,
	hash    BLOB NOT NULL CHECK (octet_length(hash) = 32),
	created INTEGER NOT NULL,
	number  INTEGER NOT NULL,
	count   INTEGER NOT NULL,
	bytes   INTEGER NOT NULL,
	crc     INTEGER NOT NULL,
	PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_created ON requests (owner, created, key);

-- Small records of the installation: API keys, leases, spend.
CREATE TABLE records (
	key      TEXT NOT NULL PRIMARY KEY,
	value    BLOB NOT NULL,
	revision INTEGER NOT NULL CHECK (revision > 0),
	updated  INTEGER NOT NULL,
	crc      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
