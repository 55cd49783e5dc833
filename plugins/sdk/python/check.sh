#!/bin/sh
# Tests the package and every plugin in Python. Needs protoc, and python3 with protobuf. The plugins are tested in the sandbox where the
# launcher was built (plugins/launcher).
set -eu
cd "$(dirname "$0")/../.."

run() {
    output=$(make -C "$1" --no-print-directory "$2" 2>&1) || {
        echo "$output" >&2
        echo "plugins: make $2 failed in plugins/$1" >&2
        exit 1
    }
    echo "plugins: $1: $2 passed"
}

run sdk/python check-generated

# The README's plugin is the template.
awk '/^```python$/ && !shown { inside = shown = 1; next } /^```$/ { inside = 0 } inside' sdk/python/README.md | cmp -s - template-python/main.py || {
    echo "plugins: the plugin in sdk/python/README.md differs from template-python/main.py" >&2
    exit 1
}
echo "plugins: sdk/python/README.md shows template-python/main.py"

for plugin in liveness-broker video-chain capture-session; do
    sed "s/^NAME = .*/NAME = $plugin/" template-python/Makefile | cmp -s - "$plugin/Makefile" || {
        echo "plugins: $plugin/Makefile differs from template-python/Makefile in more than the name" >&2
        exit 1
    }
done
for folder in sdk/python template-python liveness-broker video-chain capture-session anomaly; do run "$folder" test; done

# As an author has it: the template copied elsewhere, under another name.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R template-python "$folder/copy"
rm -rf "$folder/copy/.build" "$folder/copy/vendor"
find "$folder/copy" -type f -exec sed -i 's/example-hmac/other-name/g; s/example\.hmac/other.format/g' {} +
launcher=$PWD/../.build/plugins/assay-plugin-launcher
[ -x "$launcher" ] || launcher=
make -C "$folder/copy" --no-print-directory -s SDK="$PWD/sdk/python" SDK_TESTS="$PWD/sdk/tests" LAUNCHER="$launcher" \
    SUITE_FLAGS="--only verdict_of_each" test >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    echo "plugins: a copy of template-python does not pass its tests" >&2
    exit 1
}
echo "plugins: a copy of template-python passes under another name"
