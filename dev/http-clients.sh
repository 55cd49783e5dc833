#!/bin/sh
# Runs real clients and proxies against a daemon that listens over HTTP: dev/http-clients.sh [--assayd FILE] [--venv FOLDER] [--list] [CLIENT…]
#
# By default the daemon is .build/debug/assayd, with assay beside it, and the folder of the virtual environment .build/http-clients.
# The first run installs what dev/http_clients/requirements.txt names, and unpacks Debian's Caddy, which is older, beside it; curl and
# nginx are the system's. CLIENT is a word of the first column: only its checks run then. Exit status 1 if a check failed; programs that are missing are named and skipped.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
parts=$repository/dev/http_clients
assayd=$repository/.build/debug/assayd
venv=$repository/.build/http-clients
list=

usage() {
    echo "usage: dev/http-clients.sh [--assayd FILE] [--venv FOLDER] [--list] [CLIENT...]" >&2
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
    echo "http-clients: Python 3.11 or later is missing" >&2
    exit 1
}
# The list of what is installed stands beside it, and is written last.
if ! cmp -s "$parts/requirements.txt" "$venv/requirements.txt"; then
    echo "http-clients: installing clients into $venv"
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$parts/requirements.txt"
    # Installing the package would start a service.
    mkdir "$venv/debian"
    (cd "$venv/debian" && apt-get download -qq caddy && dpkg -x caddy_*.deb .) >/dev/null 2>&1 ||
        echo "http-clients: Debian's Caddy cannot be had here (apt-get update?): only PyPI's is run"
    cp "$parts/requirements.txt" "$venv/requirements.txt"
fi

# The messages and stubs of the API, and its descriptors, as any user of these clients generates them.
generated=$venv/generated
rm -rf "$generated"
mkdir -p "$generated"
# Envoy shows details of errors only if it has their messages too.
common=$("$venv/bin/python" -c 'import google.rpc; print(list(google.rpc.__path__)[0])')/../..
(
    cd "$repository/proto"
    set -- assay/v1/*.proto
    "$venv/bin/python" -m grpc_tools.protoc --proto_path=. --python_out="$generated" --grpc_python_out="$generated" "$@"
    "$venv/bin/python" -m grpc_tools.protoc --proto_path=. --proto_path="$common" --include_imports \
        --descriptor_set_out="$generated/assay.descriptors" "$@" google/rpc/error_details.proto google/rpc/status.proto
)

GRPC_VERBOSITY=NONE PYTHONPATH=$generated PYTHONDONTWRITEBYTECODE=1 PATH=$venv/bin:$PATH:/usr/sbin:$venv/debian/usr/bin \
    exec "$venv/bin/python" "$parts/main.py" ${list:+"$list"} --assayd "$assayd" --generated "$generated" "$@"
