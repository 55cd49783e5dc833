#!/bin/sh
# Precompiles the headers of the C++ library that BoringSSL includes, and prints the path of a header that includes them all, for -include: its
# 520 files in C++, which two packages have, are compiled in two thirds of the time. dev/cxx-headers.sh FOLDER OPTIMISATION
# The options are those of SwiftPM for a debug build: clang reads no precompiled header of other ones. Prints nothing where that does not work,
# such as with another toolchain's options.
set -eu
mkdir -p "$1"
header=$(cd "$1" && pwd)/cxx.h
clang=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")/clang
[ "$(uname -s)" = Linux ] && [ -x "$clang" ] || exit 0
options="-O0 -fblocks -fPIC -g0 $2 -fno-omit-frame-pointer -w -std=c++17"
# The compiler compares the time of the header with that in the precompiled one.
if ! [ "$header.pch" -nt "$clang" ]; then
    for name in algorithm array atomic iterator memory optional string_view tuple type_traits utility variant \
        assert.h inttypes.h limits.h stdio.h stdlib.h string.h time.h; do
        echo "#include <$name>"
    done >"$header"
    # shellcheck disable=SC2086
    "$clang" $options -x c++-header "$header" -o "$header.pch" || exit 0
fi
echo "$header"
