#!/bin/sh
# Generates Swift and Python from proto/**/*.proto, and writes proto/generated.digest for dev/check-protos.sh.
#
# protoc comes from Debian; protoc-gen-swift is built from the swift-protobuf that the package depends on, so that the
# generated code always fits the library. The first run builds it (about a minute).
set -eu
cd "$(dirname "$0")/.."
dev/setup.sh build protos

# Output differs between versions; one version for everybody keeps diffs honest. Debian 12, 13 and Ubuntu 24.04 have it.
want="libprotoc 3.21.12"
have=$(protoc --version)
if [ "$have" != "$want" ]; then
    echo "protos: want $want, have $have" >&2
    exit 1
fi

[ -d .build/checkouts/swift-protobuf ] || swift package resolve
swift build -c release --package-path .build/checkouts/swift-protobuf --scratch-path "$PWD/.build-protoc" \
    --product protoc-gen-swift
plugin="$PWD/.build-protoc/release/protoc-gen-swift"

python=examples/python/assay_pb
sdk=plugins/sdk/swift/Sources/AssayPlugin/Generated
rm -rf Sources/AssayFramedRPC/Generated Sources/AssayAPI/Generated Sources/AssayOTLP/Generated "$sdk" "$python"
mkdir -p "$python"

# generate <folder under proto> <Swift folder> <visibility> [no-python]
generate() {
    files=$(find "proto/$1" -name '*.proto' -type f 2>/dev/null | LC_ALL=C sort)
    [ -n "$files" ] || return 0
    mkdir -p "$2"
    # shellcheck disable=SC2086
    protoc --proto_path=proto --plugin=protoc-gen-swift="$plugin" \
        --swift_opt=Visibility="$3" --swift_opt=UseAccessLevelOnImports=true --swift_out="$2" $files
    # protoc-gen-swift gives each message an operator of its own, and the compiler tries all of them at every == of a module that imports the
    # messages: a sixth of the time in which it checks a module of tests. The library's one operator for all messages calls this method.
    find "$2" -name '*.pb.swift' -exec sed -i -E \
        's/^( *)((public|package|fileprivate) )?static func ==\(lhs: ([A-Za-z0-9_.]+), rhs: [A-Za-z0-9_.]+\) -> Bool \{$/\1\2func _protobuf_generated_isEqualTo(other rhs: \4) -> Bool {\n\1  let lhs = self/' {} +
    # shellcheck disable=SC2086
    [ "${4:-}" = no-python ] || protoc --proto_path=proto --python_out="$python" $files
}
# The frames are internal to AssayFramedRPC, the messages of plugins to the SDK; the API is public.
generate assay/rpc Sources/AssayFramedRPC/Generated Internal
generate assay/v1 Sources/AssayAPI/Generated Public
generate assay/plugin Sources/AssayAPI/Generated Public
generate assay/plugin "$sdk" Internal
# Without it the folder is a namespace package, which an installed package of that name hides, such as clients/python.
echo '"""The messages of assayd, as protoc wrote them."""' >"$python/assay/__init__.py"
# The files of the API as data, for what is made of them while the daemon runs (AssayAPI/Schema).
descriptors=$(mktemp)
trap 'rm -f "$descriptors"' EXIT
# shellcheck disable=SC2046
protoc --proto_path=proto --include_imports --include_source_info --descriptor_set_out="$descriptors" \
    $(find proto/assay/v1 -name '*.proto' -type f | LC_ALL=C sort)
dev/describe-api.py "$descriptors" >Sources/AssayAPI/Generated/APIDescriptors.swift
# OTLP's messages, for the exporter of traces.
generate opentelemetry Sources/AssayOTLP/Generated Package no-python

{
    echo "# Written by dev/generate-protos.sh, checked by dev/check-protos.sh."
    echo "# $have"
    echo "# $("$plugin" --version)"
    dev/check-protos.sh --manifest
} >proto/generated.digest
dev/check-protos.sh
