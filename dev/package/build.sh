#!/bin/sh
# Makes the programs of the packages: PACKAGES/programs (they load SQLite and zlib of the system) and PACKAGES/static (they contain them),
# and what debuggers read beside them: PACKAGES/debug. Equal sources and tools give equal programs in any folder: no path of this machine is
# in them. Arguments: further ones for `swift build`.
. "$(dirname "$0")/common.sh"
swift=${SWIFT:-swift}

# A build folder of its own: other flags compile everything again. Debug information is that of lines alone, for backtraces; more would be
# gigabytes. The build id is a place that finish.sh fills. Swift's options for static libraries export every symbol for what is loaded later
# (--export-dynamic), 8 MB of a program: no library that is loaded here (libpq, tokens) looks for one.
build() {
    product=$1
    shift
    $swift build -c release --product "$product" --scratch-path "$scratch" --static-swift-stdlib \
        -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -gline-tables-only \
        -Xswiftc -file-prefix-map -Xswiftc "$scratch=$build_folder" -Xswiftc -file-prefix-map -Xswiftc "$PWD=." \
        -Xcc "-ffile-prefix-map=$PWD=." -Xcc "-ffile-prefix-map=$scratch=$build_folder" -Xlinker "--build-id=0x$(printf '%040d' 0)" \
        -Xlinker --no-export-dynamic "$@"
}

# The linker looks here first, and finds archives alone: what it takes from them the programs do not load. See
# docs/decisions/0084-packages.md.
archives=$PWD/$packages/archives
rm -rf "$archives"
mkdir -p "$archives"
for library in libsqlite3.a libz.a libstdc++.a; do
    found=$(${CC:-cc} -print-file-name=$library)
    [ -e "$found" ] || { echo "there is no $library" >&2; exit 1; }
    ln -sf "$found" "$archives/"
done
# No archive takes the place of libgcc_s: glibc loads that library itself when a thread ends (pthread_exit), and aborts without it.
# SwiftPM asks pkg-config for the folders of both libraries, and gives them to the linker before ours.
for library in sqlite3 zlib; do
    sed "s|^libdir=.*|libdir=$archives|" "$(pkg-config --variable=pcfiledir $library)/$library.pc" >"$archives/$library.pc"
done

make --no-print-directory -s -C plugins/launcher CFLAGS="-ffile-prefix-map=$PWD=." BUILD="$PWD/$packages/launcher"
rm -rf "$packages/debug"
for kind in programs static; do
    mkdir -p "$packages/$kind"
    for product in assayd assay; do
        if [ $kind = static ]; then
            (PKG_CONFIG_PATH=$archives && export PKG_CONFIG_PATH && build $product -Xlinker "-L$archives" "$@")
        else
            build $product "$@"
        fi
        dev/package/finish.sh "$scratch/release/$product" "$packages/$kind/$product" "$packages/debug"
        if [ $kind = static ]; then loads_glibc_alone "$packages/$kind/$product" || exit 1; fi
    done
    dev/package/finish.sh "$packages/launcher/assay-plugin-launcher" "$packages/$kind/assay-plugin-launcher" "$packages/debug"
done
