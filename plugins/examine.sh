#!/bin/sh
# Examines every plugin with `assay plugin check`, with its own cases and the test vectors where they are, as an author does. Needs the
# plugins, the launcher and the debug build of assay: make plugins build. Only those that are named: plugins/examine.sh [PLUGIN…].
set -eu
cd "$(dirname "$0")/.."
vectors=${VECTORS:-../shared/vectors}
python=${PYTHON:-/usr/bin/python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

wanted=" $* "
# Whether a plugin is examined: all are if none is named.
is_wanted() {
    case $wanted in "  " | *" $1 "*) return 0 ;; esac
    return 1
}

examine() {
    plugin=$1
    path=$2
    shift 2
    "$python" -B "plugins/$plugin/tests/vectors.py" "$vectors" >"$folder/$plugin.json"
    check "$plugin" "$path" "$@"
}

# With the cases that were written. A machine that is busy with other tests may take long for an answer.
check() {
    plugin=$1
    path=$2
    shift 2
    .build/debug/assay plugin check "$path" --vectors "$folder/$plugin.json" --calls 1000 --restarts 10 --time-limit 20s "$@" >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        echo "plugins: $plugin does not pass assay plugin check" >&2
        exit 1
    }
    echo "plugins: $plugin: $(tail -1 "$folder/log")"
}

for plugin in template-c payload-envelope camera-token scene-depth; do
    is_wanted $plugin || continue
    examine "$plugin" "plugins/$plugin/.build/$(sed -n 's/^NAME = //p' "plugins/$plugin/Makefile")"
done
# The plugin anomaly judges no evidence: it has no case, and is examined as an observer.
for plugin in template-python capture-session anomaly; do
    is_wanted $plugin || continue
    make -C "plugins/$plugin" --no-print-directory -s install FOLDER="$folder/$plugin"
    examine "$plugin" "$folder/$plugin"
done

# Changes are tried of each accepted case: here of those whose every byte is signed, or opened. All cases are run by the plugin's own tests.
if is_wanted video-chain; then
    make -C plugins/video-chain --no-print-directory -s install FOLDER="$folder/video-chain"
    "$python" -B plugins/video-chain/tests/vectors.py . signed >"$folder/video-chain.json"
    check video-chain "$folder/video-chain"
fi
if is_wanted payload-box; then
    "$python" -B plugins/payload-box/tests/vectors.py . opened >"$folder/payload-box.json"
    check payload-box plugins/payload-box/.build/payload-box
fi

# Those in Swift, as the root package builds them: with the libraries of the toolchain.
swift=$(ldd .build/debug/capture-package | sed -n 's#.*=> \(.*\)/libswiftCore.so.*#\1#p')
for plugin in template-swift capture-package; do
    is_wanted $plugin || continue
    examine "$plugin" ".build/debug/$(sed -n 's/^NAME = //p' "plugins/$plugin/Makefile")" --read "$swift"
done

is_wanted liveness-broker || exit 0
# The broker asks a provider, which the sandbox lets it reach at one port.
make -C plugins/liveness-broker --no-print-directory -s install FOLDER="$folder/broker"
"$python" -B plugins/liveness-broker/tests/provider.py >"$folder/provider" 2>/dev/null &
provider=$!
trap 'kill $provider 2>/dev/null; rm -rf "$folder"' EXIT
while [ ! -s "$folder/provider" ]; do sleep 0.1; done
address=$(sed 1q "$folder/provider")
# Without the capture whose media the fake provider does not look at: it would accept changed ones.
"$python" -B plugins/liveness-broker/tests/vectors.py . "$address" | "$python" -c '
import json, sys
found = json.load(sys.stdin)
found["cases"] = [case for case in found["cases"] if case["id"] != "media"]
json.dump(found, sys.stdout)' >"$folder/broker.json"
cat >"$folder/broker.yaml" <<ENTRY
name: liveness-broker
command: $(readlink -f "$python")
arguments: [-I, -B, "{folder}/main.py"]
folder: $folder/broker
formats: [liveness-broker]
apps: [app]
services: [find_used]
powers:
  network: {ports: [$(echo "$address" | sed 's#.*:\([0-9]*\)/.*#\1#')], udp: true}
  execute: [$(ldd "$(readlink -f "$python")" | sed -n 's#^[[:space:]]*\(/[^ ]*ld-linux[^ ]*\).*#\1#p')]
  read: [/usr/lib, /etc/ld.so.cache]
ENTRY
.build/debug/assay plugin pin "$folder/broker.yaml" >/dev/null
.build/debug/assay plugin check "$folder/broker.yaml" --vectors "$folder/broker.json" --calls 500 --restarts 10 --time-limit 20s \
    >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    echo "plugins: liveness-broker does not pass assay plugin check" >&2
    exit 1
}
echo "plugins: liveness-broker: $(tail -1 "$folder/log")"
