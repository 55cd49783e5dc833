#!/bin/sh
# Verifies signed results and status lists with libraries of others: dev/result-verifiers.sh [--assayd FILE] [--venv FOLDER] [--list] [READER…]
#
# By default the daemon is .build/debug/assayd, with assay beside it, and the folder of the virtual environment .build/result-verifiers.
# The first run installs what dev/result_verifiers/requirements.txt names; openssl and gzip are the system's. The daemon signs a result of each shape about virtual
# devices, in a folder that is thrown away. READER is a word of the first column: only its checks run then. Exit status 1 if a good token does
# not verify, a forged one does, or the table of docs/reference/results.md says something else.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
parts=$repository/dev/result_verifiers
assayd=$repository/.build/debug/assayd
venv=$repository/.build/result-verifiers
list=

usage() {
    echo "usage: dev/result-verifiers.sh [--assayd FILE] [--venv FOLDER] [--list] [READER...]" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
        --assayd) [ $# -gt 1 ] || usage; assayd=$2; shift 2 ;;
        --venv) [ $# -gt 1 ] || usage; venv=$2; shift 2 ;;
        --list) list=--list; shift ;;
        -*) usage ;;
        *) break ;;
    esac
done

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "result-verifiers: Python 3.11 or later is missing" >&2
    exit 1
}
# The list of what is installed stands beside it, and is written last.
if ! cmp -s "$parts/requirements.txt" "$venv/requirements.txt"; then
    echo "result-verifiers: installing libraries into $venv"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$parts/requirements.txt"
    cp "$parts/requirements.txt" "$venv/requirements.txt"
fi

# What a check is, and how the table of checks is run, is that of dev/http-clients.sh.
PYTHONPATH=$repository/dev/http_clients PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" "$parts/main.py" ${list:+"$list"} --assayd "$assayd" "$@"
