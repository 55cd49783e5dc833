#!/bin/sh
# Tests the library and every plugin in Swift with the executables of the repository's own build, so that nothing is compiled twice:
# dev/build.sh makes them. Needs the launcher (make -C plugins/launcher); tests need protoc, and python3 with protobuf and cryptography.
set -eu
cd "$(dirname "$0")/../../.."
build=.build/debug
plugins="template-swift capture-package"

# The README's plugin is the template.
awk '/^```swift$/ { block++; next } /^```$/ { if (block > 1) exit } block == 2' plugins/sdk/swift/README.md \
    | cmp -s - plugins/template-swift/Sources/example-hmac/ExampleHMAC.swift || {
    echo "plugins: the plugin in sdk/swift/README.md differs from the one of template-swift" >&2
    exit 1
}
echo "plugins: sdk/swift/README.md shows the plugin of template-swift"

cmp -s plugins/template-swift/Sources/CLibcrypto/libcrypto.h plugins/capture-package/Sources/CLibcrypto/libcrypto.h || {
    echo "plugins: CLibcrypto of capture-package differs from that of template-swift, which the repository's package builds" >&2
    exit 1
}

run() {
    what=$1
    shift
    output=$("$@" 2>&1) || {
        echo "$output" >&2
        echo "plugins: $what failed" >&2
        exit 1
    }
    echo "plugins: $what passed"
}
python=${PYTHON:-/usr/bin/python3}
run "sdk/swift: test" "$python" -B plugins/sdk/swift/Tests/test_library.py "$build/plugin-specimen"
for plugin in $plugins; do
    name=$(sed -n 's/^NAME = //p' "plugins/$plugin/Makefile")
    run "$plugin: test" make -C "plugins/$plugin" --no-print-directory BINARY="$PWD/$build/$name" test
    run "$plugin: sandbox" "$python" -B plugins/sdk/swift/Tests/test_sandbox.py \
        .build/plugins/assay-plugin-launcher "plugins/$plugin/.build/cases.json" "$build/$name"
done
