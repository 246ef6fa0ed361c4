-- From schema 3 to 4: a version has the project that it was written from. No row is written
-- again: a project that is '' is not in the row's checksum. A process that still runs on schema
-- 3 can store nothing any more, because it reads the schema's number in each transaction.

ALTER TABLE versions ADD COLUMN project TEXT NOT NULL DEFAULT '';
