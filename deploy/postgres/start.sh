#!/bin/bash
# Starts a database server of compose.yaml. If STANDBY_OF names another server and there are
# no files yet, they are copied from it, and this server becomes its standby. Later starts go
# on as what the files are, primary or standby.
set -euo pipefail
if [ -n "${STANDBY_OF:-}" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  as=()
  if [ "$(id -u)" = 0 ]; then
    chown -R postgres "$PGDATA"
    as=(gosu postgres)
  fi
  chmod 700 "$PGDATA"
  # -R writes how to reach the other server, with the password, into postgresql.auto.conf.
  PGPASSWORD="$REPLICATION_PASSWORD" "${as[@]}" pg_basebackup -D "$PGDATA" -X stream -c fast -R \
    -d "host=$STANDBY_OF port=${STANDBY_PORT:-5432} user=replicator application_name=$STANDBY_NAME"
fi
exec docker-entrypoint.sh "$@"
