#!/bin/bash
# Runs once, on the server that makes the database: two roles, and what replication needs.
# The entrypoint of the image runs it on a server that nobody else can reach, and starts the
# real one after it.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d "$POSTGRES_DB" \
  -v password="$SCRATCHPAD_DB_PASSWORD" -v replication="$REPLICATION_PASSWORD" <<'SQL'
CREATE ROLE scratchpad LOGIN PASSWORD :'password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication';
-- pg_rewind needs these, so that the standby's role can bring an old primary back.
GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_dir(text, boolean, boolean), pg_catalog.pg_stat_file(text, boolean),
  pg_catalog.pg_read_binary_file(text), pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;
SELECT format('ALTER DATABASE %I OWNER TO scratchpad', current_database()) \gexec
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# Commits wait for the standby, whichever of the two it is. A failover changes this by ALTER
# SYSTEM, so it is no argument of the program.
echo "synchronous_standby_names = 'ANY 1 (db1, db2)'" >>"$PGDATA/postgresql.conf"
