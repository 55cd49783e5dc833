#!/bin/sh
# One of the two PostgreSQL servers of the ledger, postgres-0 and postgres-1: a primary, or the standby that confirms its commits. The
# containers of compose.yaml and the pods of deploy/kubernetes/postgresql.yaml run it in place of the image's own entrypoint:
#
#     server.sh run         what the container runs: waits for data, serves, and stops serving when the other server was promoted
#     server.sh init        makes the database, once, on the server that is the first primary
#     server.sh promote     makes this standby the primary
#     server.sh demote      stops this primary, so that its standby can be promoted; it becomes the standby of that one
#     server.sh rebuild     makes this server a standby with a new copy of the primary's data
#     server.sh status      role, timeline and standbys
#     server.sh alive       for probes: it serves, or it waits or copies as it should
#     server.sh ready       for probes: it accepts connections
#
# No server becomes the primary by itself. Exit status: 0; 1 if the command is refused or fails; "ready" has that of pg_isready.
set -eu

name=${SERVER_NAME:-$(uname -n)}
case $name in
    *-0) other=${name%-0}-1 ;;
    *-1) other=${name%-1}-0 ;;
    *) echo "server.sh: \"$name\" ends neither in -0 nor in -1" >&2; exit 1 ;;
esac
# Kubernetes: the domain of the pods' service.
other_host=${OTHER_HOST:-$other${SERVER_DOMAIN:-}}
other_port=${OTHER_PORT:-5432}
port=${SERVER_PORT:-5432}
listen=${SERVER_LISTEN:-*}
secrets=${SERVER_SECRETS:-/run/secrets}
# The socket, the password file of replication and the state: of this container alone.
run=${SERVER_RUN:-/run/postgresql}
# A folder of the volume, and not the volume: it is exchanged as a whole.
data=${PGDATA:-/var/lib/postgresql/data/cluster}
settings=$(cd "$(dirname "$0")" && pwd)
owner=$(id -un)
# The image has a wrapper of Debian before the programs of its version.
if [ -n "${PG_MAJOR:-}" ]; then PATH=/usr/lib/postgresql/$PG_MAJOR/bin:$PATH; fi
# Connections have what is given below, and nothing of the surroundings.
unset PGPASSWORD PGHOST PGPORT PGUSER PGDATABASE PGSSLMODE PGOPTIONS PGSERVICE

say() { echo "server.sh: $name: $*"; }
refuse() { say "$*" >&2; exit 1; }

# MARK: The other server

# conninfo APPLICATION_NAME. A standby is known by it; a copy that is not complete must not have the name, or it would confirm commits.
conninfo() {
    echo "host=$other_host port=$other_port user=replicator passfile=$run/passfile application_name=$1 sslmode=verify-full" \
        "sslrootcert=$secrets/ca.pem ssl_min_protocol_version=TLSv1.3 channel_binding=require gssencmode=disable connect_timeout=3" \
        "keepalives_idle=5 keepalives_interval=2 keepalives_count=3 tcp_user_timeout=10000"
}

# libpq ignores a password file that others can read, as a secret's file may be.
write_passfile() {
    (umask 077 && printf '*:*:*:replicator:%s\n' "$(sed 's/[\\:]/\\&/g' "$secrets/replication-password")" >"$run/passfile.$$")
    mv "$run/passfile.$$" "$run/passfile"
}

# The timeline of the other server if it accepts writes, and nothing if it is a standby. Fails if there is no answer.
other_primary() {
    psql -XAtqw -d "$(conninfo question) dbname=postgres" -c "$primary_timeline" 2>"$run/other.log"
}
primary_timeline="SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) WHERE NOT pg_is_in_recovery()"

# The latest timeline of the data here. Each promotion writes a history file; the first timeline has none.
own_timeline() {
    timeline=00000001
    for history in "$data"/pg_wal/????????.history; do
        if [ -e "$history" ]; then timeline=$(basename "$history" .history); fi
    done
    echo "$timeline"
}

# Whether the other server accepts writes on a timeline of at least the number $1.
other_is_primary() {
    timeline=$(other_primary) || return 1
    [ -n "$timeline" ] && [ $((0x$timeline)) -ge "$1" ]
}

# Whether the other server runs, also where it takes no connections yet or does not let this one in.
other_answers() {
    answer=0
    pg_isready -q -h "$other_host" -p "$other_port" -t 3 || answer=$?
    [ $answer -lt 2 ]
}

here() { psql -XAtqw -h "$run" -p "$port" -U "$owner" -d postgres "$@"; }

# MARK: run

state() {
    [ "$(cat "$run/state" 2>/dev/null)" = "$*" ] && return
    echo "$*" >"$run/state"
    say "$*"
}

# A signal is handled at once, and not after the pause.
pause() {
    sleep "$1" &
    wait $! || true
}

copy() {
    state "copies the data of $other"
    rm -rf "$data.new"
    pg_basebackup -D "$data.new" -d "$(conninfo copy)" --wal-method=stream --checkpoint=fast --no-password &
    copier=$!
    copied=0
    wait $copier || copied=$?
    copier=
    [ $copied -eq 0 ] && touch "$data.new/standby.signal" \
        && rm -rf "$data" && mv "$data.new" "$data" && sync "$(dirname "$data")" && rm -f "$data.rebuild"
}

serve() {
    # Kubernetes gives the group of a volume all rights to its folders.
    chmod 700 "$data"
    state "serves"
    # shellcheck disable=SC2086
    postgres -D "$data" ${SERVER_OPTIONS:-} -c config_file="$settings/postgresql.conf" -c hba_file="$settings/pg_hba.conf" \
        -c listen_addresses="$listen" -c port="$port" -c unix_socket_directories="$run" -c cluster_name="$name" \
        -c ssl_cert_file="$secrets/server.pem" -c ssl_key_file="$secrets/server.key" -c primary_conninfo="$(conninfo "$name")" &
    server=$!
    watch $server &
    watcher=$!
    # A signal ends `wait`; the server ends afterwards.
    while kill -0 $server 2>/dev/null; do
        status=0
        wait $server || status=$?
    done
    kill $watcher 2>/dev/null || true
    server=
    # Ended by the watcher: what to do is decided again.
    if [ -n "$ending" ] || [ ! -e "$run/again" ]; then
        say "ended with $status"
        exit "$status"
    fi
    rm -f "$run/again"
}

# Ends the server $1 when its data is to be exchanged, and when the other server was promoted while this one is a primary.
watch() {
    trap - INT TERM
    while sleep 2; do
        if [ -e "$data.rebuild" ]; then
            say "stops: it is rebuilt"
        elif [ ! -e "$data/standby.signal" ] && other_is_primary $((0x$(own_timeline) + 1)); then
            say "stops: $other was promoted"
        else
            continue
        fi
        touch "$run/again"
        kill -INT "$1"
        return
    done
}

stop() {
    ending=1
    # Connections are ended, and the server shuts down in order. A copy that is not complete is begun again.
    if [ -n "$server" ]; then
        kill -INT "$server" 2>/dev/null || true
    else
        if [ -n "$copier" ]; then kill "$copier" 2>/dev/null || true; fi
        exit 0
    fi
}

run() {
    server='' copier='' ending=''
    trap stop INT TERM
    mkdir -p "$run"
    rm -f "$run/again" "$run/state"
    write_passfile
    while :; do
        if [ -e "$data.rebuild" ] || [ ! -e "$data/PG_VERSION" ]; then
            if other_is_primary 0; then
                copy || { state "copying failed; it is tried again"; pause 5; }
            elif [ -e "$data.rebuild" ]; then
                state "waits until $other accepts writes, to copy its data"
            else
                state "waits: there is no data here, and $other does not accept writes. A new ledger: \"init\" on one of the servers." \
                    "$(tail -n 1 "$run/other.log" 2>/dev/null)"
            fi
        elif [ ! -e "$data/standby.signal" ] && other_is_primary $((0x$(own_timeline))); then
            state "waits: $other is the primary now. \"rebuild\" makes this server its standby"
        else
            serve
            continue
        fi
        pause 1
    done
}

# MARK: Commands

init() {
    if [ -e "$data/PG_VERSION" ]; then refuse "there is data already"; fi
    if other_answers; then refuse "$other has a database; this server copies it"; fi
    rm -rf "$data.new"
    initdb -D "$data.new" -U "$owner" --encoding=UTF8 --locale=C --data-checksums --auth-local=peer --auth-host=reject >/dev/null
    # At a socket of its own, without a standby.
    first=$run/init
    mkdir -p "$first"
    pg_ctl -D "$data.new" -s -w start -l "$first/log" -o "-c listen_addresses='' -c unix_socket_directories='$first' -c port=$port"
    made=0
    psql -Xqw -v ON_ERROR_STOP=1 -h "$first" -p "$port" -U "$owner" -d postgres >/dev/null <<SQL || made=$?
SET password_encryption = 'scram-sha-256';
\set daemon_password \`cat '$secrets/daemon-password'\`
\set replication_password \`cat '$secrets/replication-password'\`
CREATE ROLE replicator REPLICATION LOGIN PASSWORD :'replication_password';
CREATE ROLE assay LOGIN PASSWORD :'daemon_password';
CREATE DATABASE assay OWNER assay ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE assay FROM PUBLIC;
SQL
    pg_ctl -D "$data.new" -s -w stop -m fast
    rm -rf "$first"
    if [ $made -ne 0 ]; then refuse "the database was not made"; fi
    mv "$data.new" "$data"
    sync "$(dirname "$data")"
    say "the database is made; this server is the primary"
}

promote() {
    write_passfile
    recovering=$(here -c "SELECT pg_is_in_recovery()") || refuse "does not serve"
    if [ "$recovering" = f ]; then refuse "is the primary already"; fi
    if timeline=$(other_primary); then
        if [ -n "$timeline" ]; then refuse "$other accepts writes; stop it first"; fi
    elif other_answers; then
        # It may be the primary, and go on accepting.
        refuse "$other answers and cannot be asked; stop it first: $(cat "$run/other.log")"
    fi
    if [ -e "$data.rebuild" ]; then refuse "is to be rebuilt"; fi
    pg_ctl -D "$data" -s -w -t 60 promote
    say "is the primary, on timeline $(own_timeline). Commits wait until $other is its standby: \"rebuild\" there"
}

demote() {
    write_passfile
    confirming=$(here -c "SELECT count(*) FROM pg_stat_replication WHERE application_name = '$other' AND sync_state = 'sync'") \
        || refuse "does not serve"
    if [ "$confirming" != 1 ]; then refuse "has no standby $other that confirms commits"; fi
    touch "$data.rebuild"
    for _ in $(seq 60); do
        answer=0
        ready || answer=$?
        if [ $answer -eq 2 ]; then break; fi
        sleep 1
    done
    say "has stopped: \"promote\" on $other, which is then copied. Without it: rm $data.rebuild"
}

rebuild() {
    write_passfile
    if ! other_is_primary 0; then refuse "$other does not accept writes; there is nothing to copy"; fi
    touch "$data.rebuild"
    say "is rebuilt: it copies the data of $other, and becomes its standby. The data here is removed when the copy is complete"
}

status() {
    here -F ' ' >"$run/status.$$" 2>/dev/null <<'SQL' || { rm -f "$run/status.$$"; refuse "$(cat "$run/state" 2>/dev/null || echo "does not run")"; }
SELECT 'primary, timeline ' || ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int WHERE NOT pg_is_in_recovery();
SELECT '  ' || application_name, state, sync_state FROM pg_stat_replication;
SELECT 'standby, ' || coalesce((SELECT status || ' from ' || sender_host FROM pg_stat_wal_receiver), 'receives nothing') WHERE pg_is_in_recovery();
SQL
    sed "1s/^/$name: /" "$run/status.$$"
    rm -f "$run/status.$$"
}

ready() { pg_isready -q -h "$run" -p "$port"; }

alive() {
    case $(cat "$run/state" 2>/dev/null) in
        serves)
            # 1: it starts, stops or replays, and takes no connections yet.
            answer=0
            ready || answer=$?
            [ $answer -lt 2 ]
            ;;
        *) [ -e "$run/state" ] ;;
    esac
}

case ${1:-} in
    run | init | promote | demote | rebuild | status | alive | ready) "$1" ;;
    *) sed -n 's/^#     \(server.sh .*\)/\1/p' "$0" >&2; exit 1 ;;
esac
