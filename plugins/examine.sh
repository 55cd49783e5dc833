#!/bin/sh
# Examines every plugin with `assay plugin check`, with its own cases and the test vectors where they are, as an author does. Needs the
# plugins, the launcher and the debug build of assay: make plugins build.
set -eu
cd "$(dirname "$0")/.."
vectors=${VECTORS:-../shared/vectors}
python=${PYTHON:-/usr/bin/python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

examine() {
    plugin=$1
    path=$2
    shift 2
    "$python" -B "plugins/$plugin/tests/vectors.py" "$vectors" >"$folder/$plugin.json"
    .build/debug/assay plugin check "$path" --vectors "$folder/$plugin.json" --calls 2000 --restarts 30 "$@" >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "plugins: $plugin does not pass assay plugin check" >&2
        exit 1
    }
    echo "plugins: $plugin: $(tail -1 "$folder/log")"
}

for plugin in template-c payload-envelope camera-token; do
    examine "$plugin" "plugins/$plugin/.build/$(sed -n 's/^NAME = //p' "plugins/$plugin/Makefile")"
done
make -C plugins/template-python --no-print-directory -s install FOLDER="$folder/template-python"
examine template-python "$folder/template-python"
