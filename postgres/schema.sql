-- Schema 3. The owner, "tenant/agent", is the first column of every primary key. Names of
-- tables and columns are those of the schema on SQLite. A time of -infinity is not known.
-- Texts are compared byte by byte. What programs call themselves and their models is
-- bytea, because it may have a NUL.

CREATE TABLE schema_version (version bigint NOT NULL);
INSERT INTO schema_version VALUES (3);

-- What changes with each write is in no index, so that an update stays on its page.
CREATE TABLE owners (
	owner         text COLLATE "C" NOT NULL PRIMARY KEY,
	files         bigint NOT NULL DEFAULT 0 CHECK (files >= 0),
	logs          bigint NOT NULL DEFAULT 0 CHECK (logs >= 0),
	entries       bigint NOT NULL DEFAULT 0 CHECK (entries >= 0),
	versions      bigint NOT NULL DEFAULT 0 CHECK (versions >= 0),
	bytes         bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
	operations    bigint NOT NULL DEFAULT 0 CHECK (operations >= 0),
	file_floor    bigint NOT NULL DEFAULT 0 CHECK (file_floor >= 0),
	log_floor     bigint NOT NULL DEFAULT 0 CHECK (log_floor >= 0),
	deleted_files bigint NOT NULL DEFAULT 0 CHECK (deleted_files >= 0),
	deleted_logs  bigint NOT NULL DEFAULT 0 CHECK (deleted_logs >= 0),
	requests      bigint NOT NULL DEFAULT 0 CHECK (requests >= 0),
	revision      bigint NOT NULL DEFAULT 0 CHECK (revision >= 0),
	changes       bigint NOT NULL DEFAULT 0 CHECK (changes >= 0),
	updated       timestamptz NOT NULL DEFAULT '-infinity',
	live          boolean NOT NULL DEFAULT false, -- the owner holds anything
	deleted_bytes bigint NOT NULL DEFAULT 0 CHECK (deleted_bytes >= 0),
	restorable    bigint NOT NULL DEFAULT 0 CHECK (restorable >= 0),
	next_expiry   timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE INDEX owners_live ON owners (owner) WHERE live;

-- The journal of changes. The rows of an owner have the revisions up to that of its row in
-- owners, without gaps.
CREATE TABLE changes (
	owner          text COLLATE "C" NOT NULL,
	revision       bigint NOT NULL CHECK (revision > 0),
	op             text COLLATE "C" NOT NULL,
	kind           text COLLATE "C" NOT NULL,
	path           text COLLATE "C" NOT NULL,
	from_path      text COLLATE "C" NOT NULL,
	before         bigint NOT NULL,
	after          bigint NOT NULL,
	entries        bigint NOT NULL,
	client         bytea NOT NULL,
	client_version bytea NOT NULL,
	key_id         bytea NOT NULL,
	session        bytea NOT NULL,
	created        timestamptz NOT NULL,
	PRIMARY KEY (owner, revision)
);

-- sizes are the bytes of each retained version, the oldest first. deleted is the time of
-- the deletion of a path whose number is kept, and expires the time until which it retains
-- versions, if any. past has who deleted it, and which versions are retained if they are not the
-- last ones.
CREATE TABLE files (
	owner         text COLLATE "C" NOT NULL,
	path          text COLLATE "C" NOT NULL,
	version       bigint NOT NULL CHECK (version > 0),
	sizes         bigint[] NOT NULL,
	summary_bytes bigint NOT NULL CHECK (summary_bytes >= 0),
	deleted       timestamptz,
	created       timestamptz NOT NULL,
	updated       timestamptz NOT NULL,
	expires       timestamptz NOT NULL DEFAULT '-infinity',
	past          bytea NOT NULL DEFAULT '',
	PRIMARY KEY (owner, path)
);

CREATE INDEX files_deleted ON files (owner, deleted, path) WHERE deleted IS NOT NULL AND expires = '-infinity';
CREATE INDEX files_restorable ON files (owner, expires, path) WHERE expires > '-infinity';

CREATE TABLE versions (
	owner          text COLLATE "C" NOT NULL,
	path           text COLLATE "C" NOT NULL,
	version        bigint NOT NULL CHECK (version > 0),
	size           bigint NOT NULL CHECK (size >= 0),
	sha256         bytea NOT NULL CHECK (octet_length(sha256) = 32),
	client         bytea NOT NULL,
	client_version bytea NOT NULL,
	key_id         bytea NOT NULL,
	created        timestamptz NOT NULL,
	content        bytea NOT NULL,
	project        bytea NOT NULL DEFAULT '',
	PRIMARY KEY (owner, path, version)
);

CREATE TABLE logs (
	owner   text COLLATE "C" NOT NULL,
	path    text COLLATE "C" NOT NULL,
	first   bigint NOT NULL CHECK (first > 0),
	last    bigint NOT NULL CHECK (last >= first - 1),
	bytes   bigint NOT NULL CHECK (bytes >= 0),
	deleted timestamptz,
	created timestamptz NOT NULL,
	updated timestamptz NOT NULL,
	PRIMARY KEY (owner, path)
);

CREATE INDEX logs_deleted ON logs (owner, deleted, path) WHERE deleted IS NOT NULL;

CREATE TABLE entries (
	owner          text COLLATE "C" NOT NULL,
	path           text COLLATE "C" NOT NULL,
	entry          bigint NOT NULL CHECK (entry > 0),
	sha256         bytea NOT NULL CHECK (octet_length(sha256) = 32),
	client         bytea NOT NULL,
	client_version bytea NOT NULL,
	key_id         bytea NOT NULL,
	created        timestamptz NOT NULL,
	content        bytea NOT NULL,
	PRIMARY KEY (owner, path, entry)
);

-- The cache of summaries that a model has made of versions.
CREATE TABLE summaries (
	owner   text COLLATE "C" NOT NULL,
	path    text COLLATE "C" NOT NULL,
	version bigint NOT NULL CHECK (version > 0),
	method  bytea NOT NULL,
	model   bytea NOT NULL,
	prompt  bytea NOT NULL,
	sha256  bytea NOT NULL CHECK (octet_length(sha256) = 32),
	tokens  bigint NOT NULL CHECK (tokens >= 0),
	created timestamptz NOT NULL,
	content bytea NOT NULL,
	PRIMARY KEY (owner, path, version, method, model, prompt)
);

-- Writes that had an idempotency key.
CREATE TABLE requests (
	owner   text COLLATE "C" NOT NULL,
	key     text COLLATE "C" NOT NULL,
	hash    bytea NOT NULL CHECK (octet_length(hash) = 32),
	created timestamptz NOT NULL,
	number  bigint NOT NULL,
	count   bigint NOT NULL,
	bytes   bigint NOT NULL,
	PRIMARY KEY (owner, key)
);

CREATE INDEX requests_created ON requests (owner, created, key);

-- Small records of the installation: API keys, leases, spend.
CREATE TABLE records (
	key      text COLLATE "C" NOT NULL PRIMARY KEY,
	value    bytea NOT NULL,
	revision bigint NOT NULL CHECK (revision > 0),
	updated  timestamptz NOT NULL
);
