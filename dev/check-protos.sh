#!/bin/sh
# Checks that the generated code belongs to the .proto files, without protoc: compares proto/generated.digest, which
# dev/generate-protos.sh wrote, with the files as they are. `--manifest` prints what should stand there.
set -eu
cd "$(dirname "$0")/.."

# SHA-256 of every .proto file and of every file generated from one, sorted by path.
manifest() {
    {
        [ ! -d proto ] || find proto -name '*.proto' -type f
        for folder in Sources/AssayFramedRPC/Generated Sources/AssayAPI/Generated Sources/AssayOTLP/Generated plugins/sdk/swift/Sources/AssayPlugin/Generated; do
            [ ! -d "$folder" ] || find "$folder" -name '*.swift' -type f
        done
        [ ! -d examples/python/assay_pb ] || find examples/python/assay_pb -name '*.py' -type f
    } | LC_ALL=C sort | while IFS= read -r file; do sha256sum "$file"; done
}

if [ "${1:-}" = --manifest ]; then
    manifest
    exit 0
fi

if [ ! -f proto/generated.digest ]; then
    [ -z "$(manifest)" ] && exit 0
    echo "protos: proto/generated.digest is missing; run 'make proto' and commit what it writes" >&2
    exit 1
fi
now=$(mktemp)
recorded=$(mktemp)
trap 'rm -f "$now" "$recorded"' EXIT
manifest >"$now"
grep -v '^#' proto/generated.digest >"$recorded" || true
if ! cmp -s "$now" "$recorded"; then
    echo "protos: the generated code is stale; run 'make proto' and commit what it writes. Differing files:" >&2
    cat "$now" "$recorded" | LC_ALL=C sort | uniq -u | sed 's/^[0-9a-f]*  /  /' | LC_ALL=C sort -u >&2
    exit 1
fi
echo "protos: the generated code is fresh"
