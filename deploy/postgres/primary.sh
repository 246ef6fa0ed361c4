#!/bin/bash
# Runs once, on the server that makes the database: two roles, and what replication needs.
# The entrypoint of the image runs it on a server that nobody else can reach, and starts the
# real one after it.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres -v database="$POSTGRES_DB" \
  -v password="$SCRATCHPAD_DB_PASSWORD" -v replication="$REPLICATION_PASSWORD" <<'SQL'
CREATE ROLE scratchpad LOGIN PASSWORD :'password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication';
-- pg_rewind needs these in the database postgres, so that the standby's role can bring an old
-- primary back.
GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_dir(text, boolean, boolean), pg_catalog.pg_stat_file(text, boolean),
  pg_catalog.pg_read_binary_file(text), pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;
ALTER DATABASE :"database" OWNER TO scratchpad;
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# Commits wait for the standby, whichever of the two it is. A failover changes this by ALTER
# SYSTEM, so it is no argument of the program.
echo "synchronous_standby_names = 'ANY 1 (db1, db2)'" >>"$PGDATA/postgresql.conf"
# pg_rewind starts the old server without the arguments of compose.yaml. Without this, that
# start would remove the WAL that pg_rewind reads.
echo "wal_keep_size = 1GB" >>"$PGDATA/postgresql.conf"
