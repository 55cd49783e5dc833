#!/bin/sh
# Runs the tests of the libraries for tests of callers, each by the tools of its language: check.sh [--assayd FILE] [python|node|java]…
# Without assayd (--assayd, ASSAY_HOME, PATH) only those that need no daemon. A language whose tools are not there is left out, and said.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "${1:-}" = --assayd ]; then
    mkdir "$folder/bin"
    ln -s "$(realpath "$2")" "$folder/bin/assayd"
    export ASSAY_HOME="$folder"
    shift 2
fi
whole=
if [ -n "${ASSAY_HOME:-}" ] || command -v assayd >/dev/null; then whole=yes; else
    echo "clients/testing: there is no assayd: what needs a daemon is left out" >&2
fi

check_python() {
    python3 -c 'import pytest' 2>/dev/null || { echo "clients/testing: python is left out: no pytest" >&2; return 0; }
    PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH="$PWD/python" python3 -B -m pytest -q -p no:cacheprovider \
        -p assay_testing.pytest_plugin python/tests/test_library.py ${whole:+python/tests/test_readme.py}
}

check_node() {
    command -v node >/dev/null || { echo "clients/testing: node is left out: no Node.js" >&2; return 0; }
    node --test node/test/library.test.js ${whole:+node/test/readme.test.js} >"$folder/node" 2>&1 || { cat "$folder/node"; return 1; }
    echo "node: $(grep -E '^# pass|ℹ pass' "$folder/node")"
}

check_java() {
    command -v javac >/dev/null || { echo "clients/testing: java is left out: no JDK" >&2; return 0; }
    if [ -n "$whole" ]; then java/check.sh; else java/check.sh --library; fi
}

[ $# -gt 0 ] || set -- python node java
for language; do
    case $language in
    python | node | java) "check_$language" ;;
    *) echo "clients/testing: want python, node or java, not $language" >&2; exit 64 ;;
    esac
done
