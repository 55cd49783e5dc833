#!/bin/sh
# Precompiles the headers of BoringSSL, with those of the C++ library that it includes, and prints the path of a header that includes them all, for
# -include: its 520 files in C++ are compiled in half the time. dev/cxx-headers.sh FOLDER OPTIMISATION
#
# Two packages have BoringSSL, each under names of its own, so there are two precompiled headers in a folder. Clang takes the one that was made with
# the macros of the file that it compiles; they are those of the packages' manifests. The other options are those of SwiftPM for a debug build: clang
# reads no precompiled header of other ones. Prints nothing where that does not work, such as with another toolchain's options.
set -eu
mkdir -p "$1"
header=$(cd "$1" && pwd)/cxx.h
swift=${SWIFT:-swift}
clang=$(dirname "$(readlink -f "$(command -v "$swift")")")/clang
[ "$(uname -s)" = Linux ] && [ -x "$clang" ] || exit 0

# The header of one package. That clang takes it is tried. As a condition it does not end at a failure by itself.
precompile() {
    package=$1
    target=$2
    macros=$("$swift" package --package-path ".build/checkouts/$package" dump-package | python3 -c '
import json, sys
settings = next(target["settings"] for target in json.load(sys.stdin)["targets"] if target["name"] == sys.argv[1])
for setting in settings:
    if "linux" in setting.get("condition", {}).get("platformNames", ["linux"]) and setting["tool"] in ("c", "cxx"):
        print("-D" + setting["kind"]["define"]["_0"])' "$target") || return
    options="-O0 -DSWIFT_PACKAGE=1 -DDEBUG=1 -fblocks -I .build/checkouts/$package/Sources/$target/include
        $(echo "$macros" | sort -u) -fPIC -g0 $optimisation -fno-omit-frame-pointer -w -std=c++17"
    # shellcheck disable=SC2086
    "$clang" $options -fpch-instantiate-templates -x c++-header "$header" -o "$header.pch/$target.pch" || return
    # shellcheck disable=SC2086
    echo | "$clang" $options -include "$header" -x c++ -fsyntax-only -
}

optimisation=$2
# The compiler compares the time of each header with that in the precompiled one.
if ! [ "$header.pch" -nt "$clang" ] || ! [ "$header.pch" -nt Package.resolved ]; then
    "$swift" package resolve >&2
    rm -rf "$header.pch"
    mkdir "$header.pch"
    for name in algorithm array atomic iterator memory optional string_view tuple type_traits utility variant \
        assert.h inttypes.h limits.h stdio.h stdlib.h string.h time.h; do
        echo "#include <$name>"
    done >"$header"
    for name in CCryptoBoringSSL.h CNIOBoringSSL.h; do
        printf '#if __has_include(<%s>)\n#include <%s>\n#endif\n' $name $name
    done >>"$header"
    if ! { precompile swift-crypto CCryptoBoringSSL && precompile swift-nio-ssl CNIOBoringSSL; } >&2; then
        rm -rf "$header.pch"
        exit 0
    fi
    touch "$header.pch"
fi
echo "$header"
