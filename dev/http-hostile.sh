#!/bin/sh
# Attacks a daemon that listens over HTTP, as a hostile peer would: dev/http-hostile.sh [--assayd FILE] [--venv FOLDER] [--slow] [WORD…]
#
# By default the daemon is .build/debug/assayd, with assay beside it, and the folder of the virtual environment .build/http-schema, which
# dev/http-schema.sh shares. The daemon has a configuration of its own in a temporary folder. Each attack is a line: its time, the daemon's
# processor time and memory, the longest time that an honest caller waited meanwhile, and what the peer saw. With --slow come those that take
# minutes or thousands of connections; with a WORD only attacks run whose names have it. Exit status 1 if one was not met as it should be, an
# honest call failed or took longer than a second, or the daemon ended. A debug build computes ten times as long as a release build: prefer one.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
parts=$repository/dev/http_hostile
requirements=$repository/dev/http_schema/requirements.txt
assayd=$repository/.build/debug/assayd
venv=$repository/.build/http-schema
slow=

usage() {
    echo "usage: dev/http-hostile.sh [--assayd FILE] [--venv FOLDER] [--slow] [WORD...]" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
        --assayd) [ $# -gt 1 ] || usage; assayd=$2; shift 2 ;;
        --venv) [ $# -gt 1 ] || usage; venv=$2; shift 2 ;;
        --slow) slow=--slow; shift ;;
        -*) usage ;;
        *) break ;;
    esac
done

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "http-hostile: Python 3.11 or later is missing" >&2
    exit 1
}
# The list of what is installed stands beside it, and is written last.
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    echo "http-hostile: installing what it needs into $venv"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
    cp "$requirements" "$venv/requirements.txt"
fi

PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$parts/main.py" --assayd "$assayd" ${slow:+"$slow"} "$@"
