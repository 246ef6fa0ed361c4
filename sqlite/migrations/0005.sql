-- From schema 4 to 5: a deleted file retains versions until a time, and the versions of a path
-- may belong to several files that it had one after the other. No row is written again: what
-- is zero is not in the row's checksum. A process that still runs on schema 4 can store nothing
-- any more, because it reads the schema's number in each transaction.

-- Else a damaged row would stop the migration.
PRAGMA ignore_check_constraints = ON;
ALTER TABLE owners ADD COLUMN deleted_bytes INTEGER NOT NULL DEFAULT 0 CHECK (deleted_bytes >= 0);
ALTER TABLE owners ADD COLUMN restorable INTEGER NOT NULL DEFAULT 0 CHECK (restorable >= 0);
ALTER TABLE owners ADD COLUMN next_expiry INTEGER NOT NULL DEFAULT -9223372036854775808;
ALTER TABLE files ADD COLUMN expires INTEGER NOT NULL DEFAULT -9223372036854775808;
ALTER TABLE files ADD COLUMN past BLOB NOT NULL DEFAULT x'';
DROP INDEX files_deleted;
CREATE INDEX files_deleted ON files (owner, updated, path) WHERE deleted = 1 AND expires = -9223372036854775808;
CREATE INDEX files_restorable ON files (owner, expires, path) WHERE expires > -9223372036854775808;
PRAGMA ignore_check_constraints = OFF;
