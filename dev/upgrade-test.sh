#!/bin/sh
# Exchanges daemons of an earlier version for those of this one, under load on a shared PostgreSQL ledger, and compares:
# dev/upgrade-test.sh FROM [SEED]. FROM is an assayd, or a revision of this repository, which is built first. Exit status 1 if a
# promise was broken.
set -eu
cd "$(dirname "$0")/.."
from=${1:-}
[ -n "$from" ] || from=$(git describe --tags --abbrev=0 2>/dev/null) || {
    echo "upgrade-test: FROM is missing: an earlier assayd, or a revision of this repository" >&2
    exit 2
}
if [ -f "$from" ]; then
    earlier=$from
else
    revision=$(git rev-parse --verify --quiet "$from^{commit}") || {
        echo "upgrade-test: there is no program and no revision $from" >&2
        exit 2
    }
    tree=.build-upgrade/$revision
    [ -d "$tree" ] || { mkdir -p "$tree" && git archive "$revision" | tar -x -C "$tree"; }
    dev/build.sh --package-path "$tree" --product assayd
    earlier=$tree/.build/debug/assayd
fi
dev/build.sh --product assayd
dev/build.sh --product crash-test
exec .build/debug/crash-test upgrade --from "$earlier" ${2:+--seed "$2"}
