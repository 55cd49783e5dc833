#!/bin/sh
# Tests the library and every plugin in C: as gcc and clang build them, and with the address and undefined behaviour sanitizers. Needs gcc,
# clang, protoc, protoc-c and the development files of libprotobuf-c, libcrypto, libsodium and zlib; tests need python3 with protobuf and cryptography.
set -eu
cd "$(dirname "$0")/../.."

# run FOLDER TARGET [VARIABLE=VALUE]
run() {
    where=$1
    shift
    output=$(make -C "$where" --no-print-directory "$@" 2>&1) || {
        echo "$output" >&2
        echo "plugins: make $* failed in plugins/$where" >&2
        exit 1
    }
    echo "plugins: $where: $* passed"
}

run sdk/c check-generated

# The README's plugin is the template.
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' sdk/c/README.md | cmp -s - template-c/hmac.c || {
    echo "plugins: the plugin in sdk/c/README.md differs from template-c/hmac.c" >&2
    exit 1
}
echo "plugins: sdk/c/README.md shows template-c/hmac.c"
for folder in sdk/c template-c; do
    for target in test test-clang test-sanitized; do run "$folder" "$target"; done
done
# The plugins as gcc builds them, and as clang does with the sanitizers.
for folder in payload-envelope camera-token payload-box scene-depth; do
    run "$folder" test
    run "$folder" test-sanitized CC=clang
done

# As an author has it: the library installed, the template copied elsewhere.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make -C sdk/c --no-print-directory -s install PREFIX="$folder/installed" >/dev/null
cp -R template-c "$folder/copy"
rm -rf "$folder/copy/.build"
PKG_CONFIG_PATH="$folder/installed/lib/pkgconfig" make -C "$folder/copy" --no-print-directory -s SDK= SDK_TESTS="$PWD/sdk/tests" test >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    echo "plugins: a copy of template-c does not build with the installed library" >&2
    exit 1
}
echo "plugins: a copy of template-c builds and passes with the installed library"
