#!/bin/sh
# Compares a daemon's answers with the OpenAPI document, by made-up requests: dev/http-schema.sh [--assayd FILE] [--venv FOLDER] [--cases N] [--seed N] [--reports FOLDER]
#
# By default the daemon is .build/debug/assayd, with assay beside it, the folder of the virtual environment .build/http-schema, and the
# number of requests at least 10000, over all operations. The daemon has a configuration of its own in a temporary folder, and is thrown away:
# operations that change something are called, too. The first run installs what dev/http_schema/requirements.txt names. Exit status 1 if an
# answer is not as the document describes it, or an error of the server.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
parts=$repository/dev/http_schema
assayd=$repository/.build/debug/assayd
venv=$repository/.build/http-schema
cases=10000
seed=
reports=

usage() {
    echo "usage: dev/http-schema.sh [--assayd FILE] [--venv FOLDER] [--cases N] [--seed N] [--reports FOLDER]" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || usage
    case $1 in
        --assayd) assayd=$2 ;;
        --venv) venv=$2 ;;
        --cases) cases=$2 ;;
        --seed) seed=$2 ;;
        --reports) reports=$2 ;;
        *) usage ;;
    esac
    shift 2
done

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "http-schema: Python 3.11 or later is missing" >&2
    exit 1
}
# The list of what is installed stands beside it, and is written last.
if ! cmp -s "$parts/requirements.txt" "$venv/requirements.txt"; then
    echo "http-schema: installing Schemathesis into $venv"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$parts/requirements.txt"
    cp "$parts/requirements.txt" "$venv/requirements.txt"
fi

PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$parts/main.py" --assayd "$assayd" --cases "$cases" \
    ${seed:+--seed "$seed"} ${reports:+--reports "$reports"}
