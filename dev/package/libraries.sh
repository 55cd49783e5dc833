#!/bin/sh
# Prints the libraries of the system that the programs contain or load, as words for sbom.py: libraries.sh programs|static
. "$(dirname "$0")/common.sh"
version() { dpkg-query -W -f '${source:Upstream-Version}' "$1" 2>/dev/null || echo unknown; }
swift_version=$(${SWIFT:-swift} --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
# Swift's Foundation contains ICU, whose data has its version's number in their name.
swift_libraries=$(dirname "$(command -v "${SWIFT:-swift}")")/../lib/swift_static/linux
icu=$(grep -aom 1 'icudt[0-9]*' "$swift_libraries/lib_FoundationICU.a" | head -n 1 | tr -dc 0-9)
echo "static:swift=$swift_version static:icu=${icu:-unknown} static:libdispatch=$swift_version static:libseccomp=$(version libseccomp-dev) glibc"
if [ "$1" = static ]; then
    echo "static:libsqlite3=$(version libsqlite3-dev) static:zlib=$(version zlib1g-dev)"
    echo "static:libstdc++=$(version libstdc++-12-dev) libgcc"
else
    echo "libsqlite3 zlib libstdc++ libgcc"
fi
